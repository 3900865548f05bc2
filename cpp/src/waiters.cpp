#include "waiters.hpp"

#include <string>

#include "error.hpp"
#include "latch.hpp"
#include "misuse.hpp"
#include "steptree/detail/waiters.hpp"

namespace steptree::detail {

bool letIn(Step& lock) noexcept {
    Line& line = *lock.line;
    if (lock.phase != Phase::waiting || cancelled(line)) return false;
    line.marks = kSuccess;
    lock.phase = Phase::claimed;
    line.core().enqueue(line);
    return true;
}

void reject(Step& step, std::string_view info, std::int64_t retryAfter) {
    ErrorRef error = raisedBy(step, errors::DefenseRejected, info);
    if (error->ops != nullptr) error->retryAfter = retryAfter;
    latchFail(*step.line, error);
    throw StepError(std::move(error));
}

std::int64_t checkFinite(const char* name, std::int64_t value, std::int64_t least) {
    if (value > kMostCounted) misuse(std::string(name) + ": expected at most 2^53 - 1");
    if (value < least) {
        misuse(std::string(name) + ": expected at least " + std::to_string(least) + ", got " +
               std::to_string(value));
    }
    return value;
}

std::int64_t checkQueue(std::int64_t maxQueue) {
    return maxQueue == kUnlimited ? maxQueue : checkFinite("maxQueue", maxQueue, 0);
}

}  // namespace steptree::detail
