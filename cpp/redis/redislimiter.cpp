#include "steptree/redislimiter.hpp"

#include "misuse.hpp"
#include "redisrate.hpp"

namespace steptree {

namespace {

constexpr const char* kLimiter = "RedisLimiter";

/// A limit of 0 is none, and both are checked.
std::optional<detail::redis::Rate> rateOfLimiter(const RedisLimiterOptions& options) {
    if (options.rate != kUnlimited) {
        const Period period = options.period.value_or(1000);
        return detail::redis::Rate{options.rate, period.milliseconds(), {}, options.burst};
    }
    if (options.period || options.burst)
        detail::misuse("RedisLimiter: period and burst: expected a rate beside them");
    if (options.concurrent == kUnlimited)
        detail::misuse("RedisLimiter: expected concurrent, rate or both");
    return {};
}

std::shared_ptr<detail::RemoteSource> placesOfLimiter(RedisConnection& connection,
                                                      const std::string& name,
                                                      const RedisLimiterOptions& options) {
    using namespace detail::redis;  // NOLINT: names of a guard's parts
    const std::int64_t concurrent = options.concurrent;
    if (concurrent != kUnlimited) checkWhole("RedisLimiter: concurrent", concurrent, 1, kMostWhole);
    const std::optional<Rate> rate = rateOfLimiter(options);
    const auto share = [rate, concurrent](std::int64_t local) -> Share {
        if (!rate) return {local};
        const bool hasPlaces = concurrent != kUnlimited;
        const auto whole = static_cast<double>(hasPlaces ? concurrent : rate->max);
        return shareOf(hasPlaces ? local : kUnlimited, *rate, static_cast<double>(local) / whole);
    };
    std::optional<RateArguments> entries;
    if (rate) entries = rateOf(kLimiter, "rate", *rate);
    return placesOf(kLimiter, connection, "limiter", name, CommonOptions::of(options),
                    {concurrent, entries, share});
}

}  // namespace

RedisLimiter::RedisLimiter(RedisConnection& connection, const std::string& name,
                           const RedisLimiterOptions& options)
    : RemoteGuard("limiter", name, options.abandoned, placesOfLimiter(connection, name, options)) {}

RedisLimiter::~RedisLimiter() = default;

Step<AnyValues, Values<RedisGuardCounts>> RedisLimiter::counts() {
    return detail::redis::countsOf(source());
}

}  // namespace steptree
