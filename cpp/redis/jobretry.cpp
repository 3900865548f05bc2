#include "jobretry.hpp"

#include <algorithm>
#include <cmath>

namespace steptree::detail::redis {

std::int64_t waitAfter(const RetryOptions& options, std::int64_t attempt, const StepError& error,
                       double chance) {
    constexpr double kLongest = 1e13;
    if (attempt >= options.max) return -1;
    // What a library throws has no code of its own, and may be mended by waiting.
    const bool isForeign = options.on.isDefault() && error.code() == errors::InternalError;
    const RetryDecision decision = isForeign ? RetryDecision(true) : options.on.ask(error);
    if (!decision.again()) return -1;
    double wait = decision.wait();
    if (!decision.hasWait()) {
        const auto& [base, factor, cap, jitter] = options.backoff;
        const double grown = base.count() * std::pow(factor, static_cast<double>(attempt - 1));
        wait = std::min(cap.count(), grown) * (1 - jitter * chance);
        wait = std::max(wait, static_cast<double>(error.retryAfter()));
    }
    return static_cast<std::int64_t>(std::ceil(std::clamp(wait, 0.0, kLongest)));
}

}  // namespace steptree::detail::redis
