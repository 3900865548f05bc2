#include "redisrate.hpp"

#include <algorithm>
#include <cmath>

#include "misuse.hpp"

namespace steptree::detail::redis {

ThrottleAlgorithm Rate::kind() const noexcept {
    return algorithm.value_or(burst ? ThrottleAlgorithm::bucket : ThrottleAlgorithm::fixed);
}

RateArguments rateOf(const std::string& call, const char* max, const Rate& rate) {
    checkWhole(call + ": " + max, rate.max, 1, kMostWhole);
    checkWhole(call + ": period", rate.period, 1, kMostWhole);
    if (rate.burst) checkWhole(call + ": burst", *rate.burst, 1, kMostWhole);
    const ThrottleAlgorithm kind = rate.kind();
    if (rate.burst && kind != ThrottleAlgorithm::bucket)
        misuse(call + ": algorithm: expected bucket beside a burst");
    const std::int64_t burst = rate.burst.value_or(rate.max);
    static_cast<void>(Admission(kind, rate.max, rate.period, burst));  // which looks at it, too
    const char* name = kind == ThrottleAlgorithm::fixed     ? "fixed"
                       : kind == ThrottleAlgorithm::sliding ? "sliding"
                                                            : "bucket";
    return {name, rate.max, rate.period, burst};
}

Share shareOf(std::int64_t places, const Rate& rate, double part) {
    const auto few = [part](std::int64_t whole) {
        return std::max<std::int64_t>(1, std::llround(static_cast<double>(whole) * part));
    };
    const std::int64_t max = few(rate.max);
    return {places, Admission(rate.kind(), max, rate.period, rate.burst ? few(*rate.burst) : max)};
}

}  // namespace steptree::detail::redis
