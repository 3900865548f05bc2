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

/// `RedisThrottle(shop, "mails", {.max = 100, .period = 60s})`. All processes have to give the same
/// limits and `lease`.
struct RedisThrottleOptions {
    Required<std::int64_t> max;          ///< lines of all processes that may enter in a period
    Period period = 1000;                ///< at least a millisecond; without: a second
    std::int64_t maxQueue = kUnlimited;  ///< lines of all processes that may wait, at least 0
    /// Without: `bucket` if there is a burst, else `fixed`.
    std::optional<ThrottleAlgorithm> algorithm{};
    /// Tokens that a full bucket holds: that many may enter at once after a rest. Without: max.
    std::optional<std::int64_t> burst{};
    /// After which those who wait are out of the queue if their process isn't heard of: 1 s to a
    /// day.
    std::chrono::milliseconds lease{10'000};
    /// That a section waits for an answer of Redis, at least 1 ms. Without: a third of the lease.
    std::optional<std::chrono::milliseconds> patience{};
    /// That have to know of an entry before a section is let in, so that a failover to one of these
    /// lets nobody else in. Guide: docs/redis.md#failover
    std::int64_t replicas = 0;
    WhenDown whenDown = WhenDown::fail;  ///< `local(n)`: this process lets in `n` a period
};

/// Lets at most `max` lines of all processes, in C++ and JavaScript, in during a period of the
/// server's clock, nested entries too; the others wait in the order of coming, at most `maxQueue`
/// of them. DefenseRejected if the queue is full; the error's retryAfter() says when to come again.
/// RedisFailed if Redis is down.
///
/// For flows of any threads and tools; one object a process and name. Has to outlive the runs of
/// the flows that use it, and its connection has to outlive it. Link steptree::redis.
/// Guide: docs/redis.md#rates
///
///     RedisThrottle outgoing(shop, "mails", {.max = 100, .period = 60s, .burst = 10});
///     asi.sync(outgoing, send);
class STEPTREE_VISIBLE RedisThrottle final : public detail::RemoteGuard {
  public:
    /// InternalError for a bad name or option.
    RedisThrottle(RedisConnection& connection, const std::string& name,
                  const RedisThrottleOptions& options);
    ~RedisThrottle();

    /// A step that says how it stands, for all processes; those that died count for their lease.
    /// What it says may be over when it's heard. No answer of Redis: RedisFailed. The guard has to
    /// outlive the flow. Guide: docs/redis.md
    ///
    ///     RedisThrottle outgoing(shop, "mails", {.max = 100, .period = 60s});
    ///     const auto waiting = run(tool, outgoing.counts()).get().waiting;
    Step<AnyValues, Values<RedisGuardCounts>> counts();
};

}  // namespace steptree
