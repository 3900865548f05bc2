#include "limiters.hpp"

namespace resp {

using steptree::LimiterOptions;

namespace {

constexpr std::int64_t unlimited = (std::int64_t{1} << 53) - 1;

std::int64_t orUnlimited(std::int64_t limit) {
    return limit > 0 ? limit : unlimited;
}

}  // namespace

MaybeLimiter clientLimiter(const Limits& limits) {
    if (limits.clientRate == 0) return std::nullopt;
    LimiterOptions options;
    options.rate = limits.clientRate;
    options.period = limits.clientPeriodMs;
    options.burst = limits.clientBurst;
    return MaybeLimiter(std::in_place, options);
}

MaybeLimiter serverLimiter(const Limits& limits) {
    if (limits.serverConcurrent == 0 && limits.serverRate == 0) return std::nullopt;
    LimiterOptions options;
    options.concurrent = orUnlimited(limits.serverConcurrent);
    options.maxQueue = limits.serverQueue;
    options.rate = orUnlimited(limits.serverRate);
    options.period = limits.serverPeriodMs;
    options.burst = limits.serverBurst;
    return MaybeLimiter(std::in_place, options);
}

}  // namespace resp
