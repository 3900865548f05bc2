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
#include "steptree/unlimited.hpp"

namespace steptree {

/// `RedisMutex(shop, "ledger", {.lease = 5s})`. All processes have to give the same `max` and
/// `lease`.
struct RedisMutexOptions {
    std::int64_t max = 1;  ///< lines of all processes that may be in at a time, at least 1
    std::int64_t maxQueue = kUnlimited;  ///< lines of all processes that may wait, at least 0
    /// After which Redis takes back what a process has that isn't heard of: 1 s to a day.
    std::chrono::milliseconds lease{10'000};
    /// That a section waits for an answer of Redis, at least 1 ms. Without: a third of the lease.
    std::optional<std::chrono::milliseconds> patience{};
    /// That have to know of a place before a section is let in, so that a failover to one of these
    /// lets nobody else in. Guide: docs/redis.md#failover
    std::int64_t replicas = 0;
    WhenDown whenDown = WhenDown::fail;  ///< `local(n)`: at most `n` lines of this process are in
    Abandoned abandoned = Abandoned::keep;  ///< what becomes of a place then
};

/// Lets at most `max` lines in at a time, of all processes that have a mutex of that name, in C++
/// and JavaScript; the others wait in the order of coming, at most `maxQueue` of them. A line that
/// is in enters sections inside at once; a branch is a line of its own. Deadlock if nobody but
/// enclosing lines could free a place, DefenseRejected if the queue is full, RedisFailed if Redis
/// is down, LeaseLost if the place is lost.
///
/// For flows of any threads and tools; one object a process and name. Has to outlive the runs of
/// the flows that use it, and its connection has to outlive it; what something abandoned still
/// keeps goes back with it. Link steptree::redis. Guide: docs/redis.md
///
///     RedisMutex ledger(shop, "ledger", {.lease = 5s});
///     asi.sync(ledger, write);
class STEPTREE_VISIBLE RedisMutex final : public detail::RemoteGuard {
  public:
    /// InternalError for a bad name or option.
    RedisMutex(RedisConnection& connection, const std::string& name,
               const RedisMutexOptions& options = {});
    ~RedisMutex();

    /// A step that says how it stands, for all processes; those that died count for their lease.
    /// What it says may be over when it's heard. No answer of Redis: RedisFailed. The guard has to
    /// outlive the flow. Guide: docs/redis.md
    ///
    ///     const auto waiting = run(tool, ledger.counts()).get().waiting;
    Step<AnyValues, Values<RedisGuardCounts>> counts();

    /// A guard whose sections take `n` places of the mutex at once, or wait for as many, while
    /// those behind them wait, too; Deadlock for a line that has fewer. It lives as long as the
    /// mutex. InternalError unless 1 <= `n` <= `max`. Guide: docs/redis.md
    ///
    ///     asi.sync(connections.places(3), copyAll);
    Guard& places(std::int64_t n) { return several(n); }

    /// The fencing token of the place that the line, or the innermost line around it, has: of two
    /// that were let in the later one has the larger number. What is written to can refuse a token
    /// that is smaller than the last. It grows, also when Redis was restarted empty, as long as the
    /// clock of its machine doesn't go back. A whole number, as a text of digits. InternalError
    /// without a place, and in one that was given while Redis was down.
    /// Guide: docs/redis.md#tokens
    ///
    ///     asi.sync(ledger, [&](IAsyncSteps& inner) { put(inner, ledger.token(inner)); });
    std::string token(IAsyncSteps& asi) const;
};

}  // namespace steptree
