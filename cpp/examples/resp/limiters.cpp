#include "limiters.hpp"

namespace resp {

using steptree::LimiterOptions;

namespace {

std::int64_t orUnlimited(std::int64_t limit) {
    return limit > 0 ? limit : steptree::kUnlimited;
}

}  // namespace

MaybeLimiter clientLimiter(const Limits& limits) {
    if (limits.clientRate == 0) return std::nullopt;
    LimiterOptions options;
    options.rate = limits.clientRate;
    options.period = limits.clientPeriodMs;
    options.maxQueue = limits.clientQueue;
    return MaybeLimiter(std::in_place, options);
}

MaybeLimiter serverLimiter(const Limits& limits) {
    if (limits.serverConcurrent == 0 && limits.serverRate == 0) return std::nullopt;
    LimiterOptions options;
    options.concurrent = orUnlimited(limits.serverConcurrent);
    options.maxQueue = limits.serverQueue;
    options.rate = orUnlimited(limits.serverRate);
    options.period = limits.serverPeriodMs;
    return MaybeLimiter(std::in_place, options);
}

}  // namespace resp
