#include "steptree/redisthrottle.hpp"

#include "redisrate.hpp"

namespace steptree {

namespace {

std::shared_ptr<detail::RemoteSource> entriesOf(RedisConnection& connection,
                                                const std::string& name,
                                                const RedisThrottleOptions& options) {
    using namespace detail::redis;  // NOLINT: names of a guard's parts
    const Rate rate{options.max, options.period.milliseconds(), options.algorithm, options.burst};
    const auto share = [rate](std::int64_t local) {
        return shareOf(kUnlimited, rate,
                       static_cast<double>(local) / static_cast<double>(rate.max));
    };
    return placesOf("RedisThrottle", connection, "throttle", name, CommonOptions::of(options),
                    {kUnlimited, rateOf("RedisThrottle", "max", rate), share});
}

}  // namespace

RedisThrottle::RedisThrottle(RedisConnection& connection, const std::string& name,
                             const RedisThrottleOptions& options)
    : RemoteGuard("throttle", name, Abandoned::release, entriesOf(connection, name, options)) {}

RedisThrottle::~RedisThrottle() = default;

Step<AnyValues, Values<RedisGuardCounts>> RedisThrottle::counts() {
    return detail::redis::countsOf(source());
}

}  // namespace steptree
