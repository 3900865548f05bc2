#include "limiters.hpp"

namespace resp {

using steptree::LimiterOptions;

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
    if (limits.serverConcurrent > 0) options.concurrent = limits.serverConcurrent;
    options.maxQueue = limits.serverQueue;
    if (limits.serverRate > 0) {
        options.rate = limits.serverRate;
        options.period = limits.serverPeriodMs;
    }
    return MaybeLimiter(std::in_place, options);
}

}  // namespace resp
