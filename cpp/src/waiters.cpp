#include "waiters.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "error.hpp"
#include "fast.hpp"
#include "latch.hpp"
#include "misuse.hpp"
#include "steptree/detail/waiters.hpp"

namespace steptree::detail {

std::string infoOf(const char* kind, const std::string& name, const char* why) {
    return (name.empty() ? std::string(kind) : kind + (" '" + name + "'")) + ": " + why;
}

void nameGuard(ErrorData& error, const std::string& name) noexcept {
    error.guardSize = static_cast<std::uint32_t>(name.size() + 1);
}

void destroyedUnder(std::int64_t waiting) noexcept {
    std::fprintf(stderr,
                 "steptree: a guard or channel is destroyed while lines wait for it (%lld): it has "
                 "to outlive the runs of the flows that use it\n",
                 static_cast<long long>(waiting));
    std::abort();
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
    // His place in the queue, which is over, needs no destructor: nothing is left to close.
    if (kOverAtOnce && lock.extras->next == nullptr) lock.extras = nullptr;
    line.core().enqueue(line);
    return true;
}

ErrorRef refusal(Step& step, const char* kind, const std::string& name, const char* why,
                 std::string_view code, std::int64_t retryAfter) {
    ErrorRef error = raisedBy(step, code, infoOf(kind, name, why));
    if (isPrepared(*error.get())) return error;
    error->retryAfter = retryAfter;
    nameGuard(*error.get(), name);
    return error;
}

void reject(Step& step, const char* kind, const std::string& name, std::int64_t retryAfter,
            const char* why, std::string_view code) {
    ErrorRef error = refusal(step, kind, name, why, code, retryAfter);
    latchFail(*step.line, error);
    throw StepError(std::move(error));
}

std::exception_ptr refusal(const char* kind, const std::string& name, std::int64_t retryAfter,
                           const char* why, std::string_view code) noexcept {
    try {
        const StepError error(code, infoOf(kind, name, why));
        error.data()->retryAfter = retryAfter;
        nameGuard(*error.data().get(), name);
        return std::make_exception_ptr(error);
    } catch (...) {
        return std::current_exception();
    }
}

namespace {

/// Fails its step with any exception, as if that had been thrown there.
struct Failing : Completion {
    explicit Failing(Completion completion) noexcept : Completion(std::move(completion)) {}
    void fail(std::exception_ptr reason) const noexcept {
        Settlement settlement;
        settlement.kind = Settlement::exception;
        settlement.cause = std::move(reason);
        page().ops->settle(*page().share, *slot_, generation_, settlement);
    }
};

}  // namespace

void refuse(Waiter& waiter, std::exception_ptr reason) noexcept {
    Failing(std::move(waiter.completion)).fail(std::move(reason));
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

}  // namespace steptree::detail
