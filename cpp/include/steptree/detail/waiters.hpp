#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

#include "steptree/abi.hpp"
#include "steptree/completion.hpp"
#include "steptree/detail/home.hpp"
#include "steptree/detail/list.hpp"
#include "steptree/unlimited.hpp"

namespace steptree {

namespace detail {

class Step;
struct Line;
struct Grant;

/// In the place of a std::mutex where all flows are of one thread.
struct STEPTREE_VISIBLE NoMutex {
    void lock() noexcept {}
    void unlock() noexcept {}
};
template <class Lock>
inline constexpr bool isShared = !std::is_same_v<Lock, NoMutex>;
template <class Lock>
using CountOf = std::conditional_t<isShared<Lock>, std::atomic<std::int64_t>, std::int64_t>;
template <class Lock>
using HomeOf = std::conditional_t<isShared<Lock>, Anywhere, Home>;

/// In the place of the time at which a guard may be as one that is made then: whatever time it is.
inline constexpr std::int64_t kAnyTime = std::numeric_limits<std::int64_t>::min();

/// One that waits for a guard; lives in the step that waits.
///
///     queued -> granting -> granted     over: it waits no more, and has nothing
struct Waiter : Link {
    enum State : std::uint8_t { queued, granting, granted, over };

    Waiter(Line& waits, Completion told) noexcept : line(&waits), completion(std::move(told)) {}
    /// The lock step of a section, on the guard's thread: needs no completion.
    Waiter(Line& waits, Step& at) noexcept : line(&waits), section(&at) {}

    Line* line;
    Completion completion;
    Step* section = nullptr;
    Grant* grant = nullptr;  // while granting
    State state = over;
};

/// What is being given to a waiter, while the guard's lock is open: his step may close meanwhile.
struct Grant {
    Waiter* waiter;          // null: gone
    bool abandoned = false;  // he was cancelled before he could know
};

/// What lines wait for goes, and they would look for it: says so and ends the process.
[[noreturn]] STEPTREE_VISIBLE void destroyedUnder(std::int64_t waiting) noexcept;

/// Those who wait, in order. Whoever leaves does so in one step, wherever he stands.
class Waiters {
  public:
    Waiters() noexcept = default;
    Waiters(const Waiters&) = delete;
    Waiters& operator=(const Waiters&) = delete;
    ~Waiters() {
        if (count_ != 0) [[unlikely]]
            destroyedUnder(count_);
    }

    bool empty() const noexcept { return list_.empty(); }
    std::int64_t count() const noexcept { return count_; }
    Waiter* front() const noexcept { return list_.front(); }
    Waiter* after(const Waiter& waiter) const noexcept { return list_.after(waiter); }
    /// From 1 on; 0: it isn't among them. Who has come last is found at once.
    std::int64_t placeOf(const Line& line) const noexcept {
        if (!empty() && list_.back()->line == &line) return count_;
        std::int64_t place = 0;
        for (const Waiter* at = front(); at != nullptr; at = after(*at)) {
            ++place;
            if (at->line == &line) return place;
        }
        return 0;
    }

    void push(Waiter& waiter) noexcept {
        list_.push(waiter);
        waiter.state = Waiter::queued;
        ++count_;
    }
    void pushBefore(Waiter& next, Waiter& waiter) noexcept {
        List<Waiter>::insert(waiter, next);
        waiter.state = Waiter::queued;
        ++count_;
    }
    void remove(Waiter& waiter) noexcept {
        List<Waiter>::unlink(waiter);
        waiter.state = Waiter::over;
        --count_;
    }

  private:
    List<Waiter> list_;
    std::int64_t count_ = 0;
};

/// Ends the wait of a lock step well. False: it is too late.
bool letIn(Step& lock) noexcept;

/// Tells one who was taken out of the queue, with the lock open meanwhile. False: he can't have it
/// any more; if `abandoned`, he has said so himself.
template <class Lock>
bool give(Waiter& waiter, std::unique_lock<Lock>& locked, bool& abandoned) noexcept {
    abandoned = false;
    if constexpr (!isShared<Lock>) {
        Step* const section = waiter.section;
        const bool taken = section != nullptr ? letIn(*section) : waiter.completion.success();
        if (taken) waiter.state = Waiter::granted;
        return taken;
    } else {
        Grant grant{&waiter};
        waiter.grant = &grant;
        waiter.state = Waiter::granting;
        const Completion completion = std::move(waiter.completion);
        locked.unlock();
        const bool taken = completion.success();
        locked.lock();
        if (grant.waiter != nullptr) {
            grant.waiter->grant = nullptr;
            grant.waiter->state = taken ? Waiter::granted : Waiter::over;
        }
        abandoned = grant.abandoned;
        return taken && !abandoned;
    }
}

/// He gives up what is being given to him, or loses sight of it because his step is gone.
inline void dropGrant(Waiter& waiter, bool abandons) noexcept {
    waiter.grant->abandoned = abandons;
    waiter.grant->waiter = nullptr;
    waiter.grant = nullptr;
    waiter.state = Waiter::over;
}

}  // namespace detail
}  // namespace steptree
