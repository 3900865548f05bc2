#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/detail/remoteguard.hpp"
#include "steptree/redis.hpp"
#include "steptree/redisguard.hpp"
#include "steptree/steps.hpp"

namespace steptree {

/// `RedisRwLock(shop, "prices", {.lease = 5s})`. All processes have to give the same `lease`.
struct RedisRwLockOptions {
    std::int64_t maxQueue = kUnlimited;  ///< lines of all processes that may wait, at least 0
    /// After which Redis takes back what a process has that isn't heard of: 1 s to a day.
    std::chrono::milliseconds lease{10'000};
    /// That a section waits for an answer of Redis, at least 1 ms. Without: a third of the lease.
    std::optional<std::chrono::milliseconds> patience{};
    /// That have to know of a place before a section is let in, so that a failover to one of these
    /// lets nobody else in. Guide: docs/redis.md#failover
    std::int64_t replicas = 0;
    WhenDown whenDown = WhenDown::fail;     ///< it has no share of one process: `fail` or `wait`
    Abandoned abandoned = Abandoned::keep;  ///< what becomes of their places then
};

/// Two guards: any number of lines of all processes, in C++ and JavaScript, is in by `read` at a
/// time, or one by `write`; the others wait in the order of coming, at most `maxQueue` of them;
/// then DefenseRejected. A line that is in may lock again: `read` in both, `write` in `write`.
/// Deadlock as of an RwLock, RedisFailed and LeaseLost as of a RedisMutex.
///
/// For flows of any threads and tools; one object a process and name. Has to outlive the runs of
/// the flows that use it, and its connection has to outlive it; what something abandoned still
/// keeps goes back with it. Link steptree::redis. Guide: docs/redis.md#who-reads-and-who-writes
///
///     RedisRwLock prices(shop, "prices");
///     asi.sync(prices.read, look).sync(prices.write, change);
class STEPTREE_VISIBLE RedisRwLock final {
  public:
    /// One of the two guards.
    class STEPTREE_VISIBLE Side final : public detail::RemoteGuard {
      public:
        Side(const Side&) = delete;
        Side& operator=(const Side&) = delete;
        ~Side();

      private:
        friend RedisRwLock;
        Side(RedisRwLock& owner, bool writes, const std::string& name, Abandoned abandoned,
             std::shared_ptr<detail::RemoteSource> source);

        const char* blamed() const noexcept override { return "rwlock"; }
        const char* deadlock(detail::Line& line, std::int64_t count) const noexcept override;
        bool admit(detail::Line& line) noexcept override;
        void wait(detail::Step& lock) override;
        bool isInByOther(detail::Line& line) const noexcept;

        RedisRwLock& owner_;
        const bool writes_;
    };

    /// InternalError for a bad name or option.
    RedisRwLock(RedisConnection& connection, const std::string& name,
                const RedisRwLockOptions& options = {});
    RedisRwLock(const RedisRwLock&) = delete;
    RedisRwLock& operator=(const RedisRwLock&) = delete;
    ~RedisRwLock();

  private:
    const std::shared_ptr<detail::RemoteSource> source_;

  public:
    /// Waits while somebody writes or waits. Deadlock under a line that writes.
    Side read;
    /// Waits while somebody is in. Deadlock for a line that reads, and under lines that are in.
    Side write;

    /// A step that says how it stands, for all processes; those that died count for their lease.
    /// What it says may be over when it's heard. No answer of Redis: RedisFailed. The guard has to
    /// outlive the flow. Guide: docs/redis.md
    ///
    ///     const auto waiting = run(tool, prices.counts()).get().waiting;
    Step<AnyValues, Values<RedisGuardCounts>> counts();

    /// As it was given.
    const std::string& name() const noexcept { return read.name(); }
    /// How many lines of this process wait, to read or to write.
    std::int64_t waiting() const { return read.waiting() + write.waiting(); }
    /// The fencing token of the line, or of the innermost line around it that is in, as that of a
    /// RedisMutex: it's larger than those of all that were let in before. InternalError for a line
    /// that isn't in. Guide: docs/redis.md#tokens
    ///
    ///     asi.sync(prices.write, [&](IAsyncSteps& inner) { put(inner, prices.token(inner)); });
    std::string token(IAsyncSteps& asi) const;
};

}  // namespace steptree
