#include <algorithm>
#include <cmath>

#include "steptree/detail/checknumber.hpp"
#include "steptree/retry.hpp"

/// What bounds the retries of many flows.
namespace steptree {

namespace {

constexpr std::int64_t kToken = 1000;  // one retry, in thousandths

std::int64_t checkedCapacity(const RetryBudget::Options& options) {
    detail::checkNumber("RetryBudget: capacity", options.capacity);
    const std::int64_t capacity = options.capacity;
    detail::checkNumber("RetryBudget: ratio", options.ratio, 0, static_cast<double>(capacity));
    return capacity * kToken;
}

}  // namespace

RetryBudget::RetryBudget(Options options)
    : capacity_(checkedCapacity(options)),
      ratio_(static_cast<std::int64_t>(std::floor(options.ratio * kToken + 0.5))),
      left_(capacity_) {}

double RetryBudget::tokens() const noexcept {
    return static_cast<double>(left_.load(std::memory_order_relaxed)) / kToken;
}

bool RetryBudget::take() noexcept {
    std::int64_t left = left_.load(std::memory_order_relaxed);
    do {
        if (left < kToken) return false;
    } while (!left_.compare_exchange_weak(left, left - kToken, std::memory_order_relaxed));
    return true;
}

void RetryBudget::putBack() noexcept {
    std::int64_t left = left_.load(std::memory_order_relaxed);
    while (!left_.compare_exchange_weak(left, std::min(capacity_, left + ratio_),
                                        std::memory_order_relaxed)) {
    }
}

}  // namespace steptree
