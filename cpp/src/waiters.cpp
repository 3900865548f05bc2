#include "waiters.hpp"

#include <string>

#include "error.hpp"
#include "latch.hpp"
#include "misuse.hpp"
#include "steptree/detail/waiters.hpp"

namespace steptree::detail {

std::string titleOf(const char* kind, const std::string& name) {
    return name.empty() ? std::string(kind) : kind + (" '" + name + "'");
}

bool waits(const Waiter& waiter) noexcept {
    const Step* const lock = waiter.section;
    if (lock == nullptr) return waiter.completion.valid();
    return lock->phase == Phase::waiting && !cancelled(*lock->line);
}

bool letIn(Step& lock) noexcept {
    Line& line = *lock.line;
    if (lock.phase != Phase::waiting || cancelled(line)) return false;
    line.marks = kSuccess;
    lock.phase = Phase::claimed;
    line.core().enqueue(line);
    return true;
}

void reject(Step& step, const char* kind, const std::string& name, std::int64_t retryAfter,
            const char* why) {
    const std::string info = titleOf(kind, name) + ": " + why;
    ErrorRef error = raisedBy(step, errors::DefenseRejected, info);
    if (error->ops != nullptr) error->retryAfter = retryAfter;
    latchFail(*step.line, error);
    throw StepError(std::move(error));
}

namespace {

std::int64_t check(const char* name, std::int64_t value, std::int64_t least, const char* or_) {
    if (value >= least && value <= kMostCounted) return value;
    misuse(std::string(name) + ": expected a whole number from " + std::to_string(least) +
           " to 2^53 - 1" + or_ + ", got " + std::to_string(value));
}

}  // namespace

std::int64_t checkFinite(const char* name, std::int64_t value) {
    return check(name, value, 1, "");
}

std::int64_t checkLimit(const char* name, std::int64_t value, std::int64_t least) {
    return value == kUnlimited ? value : check(name, value, least, ", or kUnlimited");
}

std::int64_t checkQueue(std::int64_t maxQueue) {
    return checkLimit("maxQueue", maxQueue, 0);
}

}  // namespace steptree::detail
