#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "extras.hpp"
#include "steptree/codes.hpp"
#include "steptree/detail/errordata.hpp"
#include "steptree/detail/waiters.hpp"

/// What the guards of the library know of the engine.
namespace steptree::detail {

inline Step& stepOf(IAsyncSteps& asi) noexcept {
    return static_cast<Step&>(asi);
}

/// The line that a branch belongs to; null for a flow's own line.
inline Line* lineAround(Line& line) noexcept {
    return line.isBranch() ? static_cast<Branch&>(line).host->line : nullptr;
}

/// Waits for what he need not give back, among those who do. Its step may be left, and close.
template <class Lock>
struct PlainWait : Waiter {
    PlainWait(WaitedFor& on, Lock& mutex, Waiters& all, Line& line, Completion told) noexcept
        : Waiter(line, std::move(told)), on(on), mutex(mutex), all(all) {}
    PlainWait(const PlainWait&) = delete;
    PlainWait& operator=(const PlainWait&) = delete;
    ~PlainWait() { forget(); }
    void leave(Step&) noexcept { forget(); }
    Waits waits() const noexcept { return {.what = Waits::guard, .on = &on}; }
    void forget() noexcept {
        const std::lock_guard locked(mutex);
        if (state == queued) all.remove(*this);
    }

    WaitedFor& on;
    Lock& mutex;
    Waiters& all;
};

/// All go on. Called under the lock of what they wait for: so who waits has what he was told.
inline void wakeAll(Waiters& all) noexcept {
    while (Waiter* const waiter = all.front()) {
        all.remove(*waiter);
        waiter->completion.success();
    }
}

/// Whether he could still be let in.
bool waits(const Waiter& waiter) noexcept;

/// Makes the `Wait` of a lock step, and what `attempt(wait)` makes of it: who is in meanwhile goes
/// on. A call that finds no memory undoes it: then the step waits for nothing, and gets out of the
/// queue.
template <class Wait, class Attempt, class... Args>
auto attemptWaiting(Step& lock, Attempt attempt, Args&&... args) {
    const std::uint32_t marks = lock.line->marks;
    Wait* wait = nullptr;
    try {
        wait = &newWait<Wait>(lock, args..., *lock.line, lock.waitExternal());
        const auto entry = attempt(*wait);
        if (entry == decltype(entry)::in) lock.success();
        return entry;
    } catch (const std::bad_alloc&) {
        if (wait != nullptr) wait->leave(lock);
        lock.line->marks = marks;
        if ((marks & kExternal) == 0) releaseSlot(*lock.line);
        throw;
    }
}

/// What an error says of whom it comes from, and why: `mutex 'db': why`, or the kind and why.
std::string infoOf(const char* kind, const std::string& name, const char* why);
/// The error has that info: it says who has refused.
void nameGuard(ErrorData& error, const std::string& name) noexcept;
/// A step is refused, with the milliseconds after which it may be let in; -1: not known.
ErrorRef refusal(Step& step, const char* kind, const std::string& name, const char* why,
                 std::string_view code, std::int64_t retryAfter = -1);
/// The same, raised in the step.
[[noreturn]] void reject(Step& step, const char* kind, const std::string& name,
                         std::int64_t retryAfter = -1, const char* why = "the queue is full",
                         std::string_view code = errors::DefenseRejected);

/// The reason of such a refusal, for those who wait already. Short of memory it is that.
std::exception_ptr refusal(const char* kind, const std::string& name, std::int64_t retryAfter,
                           const char* why,
                           std::string_view code = errors::DefenseRejected) noexcept;
/// One who was taken out of the queue isn't let in. Any thread.
void refuse(Waiter& waiter, std::exception_ptr reason) noexcept;

/// What can be counted in every language; sums of such numbers and times don't overflow.
inline constexpr std::int64_t kMostCounted = (std::int64_t{1} << 53) - 1;
/// A limit, or InternalError to the caller.
std::int64_t checkFinite(const char* name, std::int64_t value);
/// The same for what may be unlimited.
std::int64_t checkLimit(const char* name, std::int64_t value, std::int64_t least);

}  // namespace steptree::detail
