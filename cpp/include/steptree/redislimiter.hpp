#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/detail/remoteguard.hpp"
#include "steptree/redis.hpp"
#include "steptree/redisguard.hpp"
#include "steptree/steps.hpp"
#include "steptree/throttle.hpp"

namespace steptree {

/// `RedisLimiter(shop, "calls", {.concurrent = 8, .rate = 100})`: what isn't given isn't limited;
/// at least one of these has to be. All processes have to give the same limits and `lease`.
struct RedisLimiterOptions {
    std::int64_t concurrent = kUnlimited;  ///< lines of all processes that may be in at a time
    std::int64_t maxQueue = kUnlimited;    ///< lines of all processes that may wait, at least 0
    std::int64_t rate = kUnlimited;        ///< lines of all processes that may enter in a period
    /// At least a millisecond; without: a second. Only beside a rate.
    std::optional<Period> period{};
    /// Tokens that the rate saves: that many may enter at once after a rest. Without: none, it
    /// counts by periods.
    std::optional<std::int64_t> burst{};
    Abandoned abandoned = Abandoned::keep;  ///< what becomes of places then
    /// After which Redis takes back what a process has that isn't heard of: 1 s to a day.
    std::chrono::milliseconds lease{10'000};
    /// That a section waits for an answer of Redis, at least 1 ms. Without: a third of the lease.
    std::optional<std::chrono::milliseconds> patience{};
    /// That have to know of a place or an entry before a section is let in, so that a failover to
    /// one of these lets nobody else in. Guide: docs/redis.md#failover
    std::int64_t replicas = 0;
    /// `local(n)`: at most `n` lines of this process are in at a time, at as large a part of the
    /// rate; without `concurrent` it lets in `n` a period.
    WhenDown whenDown = WhenDown::fail;
};

/// Limits both how many lines of all processes, in C++ and JavaScript, are in at a time and how
/// many enter in a period. A line takes a place, then an entry; who waits for either waits in one
/// queue, of at most `maxQueue`. A place has a lease, as that of a RedisMutex, and is lost by
/// LeaseLost. Errors are those of Mutex and Throttle, and RedisFailed if Redis is down.
///
/// For flows of any threads and tools; one object a process and name. Has to outlive the runs of
/// the flows that use it, and its connection has to outlive it; what something abandoned still
/// keeps goes back with it. Link steptree::redis. Guide: docs/redis.md#rates
///
///     RedisLimiter calls(shop, "calls", {.concurrent = 8, .rate = 100});
///     asi.sync(calls, ask);
class STEPTREE_VISIBLE RedisLimiter final : public detail::RemoteGuard {
  public:
    /// InternalError for a bad name or option.
    RedisLimiter(RedisConnection& connection, const std::string& name,
                 const RedisLimiterOptions& options);
    ~RedisLimiter();

    /// A step that says how it stands, for all processes; those that died count for their lease.
    /// What it says may be over when it's heard. No answer of Redis: RedisFailed. The guard has to
    /// outlive the flow. Guide: docs/redis.md
    ///
    ///     RedisLimiter calls(shop, "calls", {.concurrent = 8});
    ///     const auto waiting = run(tool, calls.counts()).get().waiting;
    Step<AnyValues, Values<RedisGuardCounts>> counts();
};

}  // namespace steptree
