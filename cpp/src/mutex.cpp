#include "steptree/mutex.hpp"

#include "fast.hpp"
#include "waiters.hpp"

/// Places for lines. While somebody waits no place is free: one that is given back goes to the
/// first who can still take it. It is his line's from then on, whenever that moves.
namespace steptree::detail {

template <class Lock>
struct BasicMutex<Lock>::Wait : Waiter {
    Wait(BasicMutex& mutex, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), mutex(mutex) {}
    Wait(BasicMutex& mutex, Step& lock) noexcept : Waiter(*lock.line, lock), mutex(mutex) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
        if (isShared<Lock> || state == queued) mutex.gone(*this);
    }
    void leave(Step&) noexcept { mutex.giveUp(*this); }

    BasicMutex& mutex;
};

namespace {

/// Raises why the step can't wait.
[[noreturn]] void refuse(Step& step, bool deadlock) {
    if (!deadlock) reject(step, "mutex: the queue is full");
    step.error(errors::Deadlock, "mutex: every place is that of an enclosing line");
}

}  // namespace

template <class Lock>
BasicMutex<Lock>::BasicMutex(std::int64_t max, std::int64_t maxQueue, Abandoned abandoned)
    : max_(checkFinite("max", max)),
      free_(max),
      waiters_(checkQueue(maxQueue)),
      keeps_(abandoned == Abandoned::keep, this, [](void* guard, KeptHold& kept) noexcept {
          static_cast<BasicMutex*>(guard)->free(kept);
      }) {}

template <class Lock>
KeptPlace* BasicMutex<Lock>::keep(Line& line) noexcept {
    const std::lock_guard locked(mutex_);
    Hold* const hold = holds_.find(line);
    return hold != nullptr ? keeps_.keep(*hold) : nullptr;
}

/// Nothing that was abandoned keeps it any more.
template <class Lock>
void BasicMutex<Lock>::free(KeptHold& kept) noexcept {
    std::unique_lock locked(mutex_);
    if (kept.line == nullptr) return freePlace(locked);
    holds_.find(*kept.line)->kept = nullptr;
}

template <class Lock>
bool BasicMutex<Lock>::admit(Line& line) noexcept {
    if (!kHomeGuard || !home_.has(line.core())) [[unlikely]]
        return admitAnew(line);
    try {
        const std::lock_guard locked(mutex_);
        return enter(line);
    } catch (...) {
        return false;
    }
}

/// Not as a flow of the tool whose the guard is.
template <class Lock>
bool BasicMutex<Lock>::admitAnew(Line& line) noexcept {
    if (!home_.takes(line.core())) return false;
    try {
        const std::lock_guard locked(mutex_);
        return enter(line);
    } catch (...) {
        return false;
    }
}

/// On the guard's own thread nothing but the guard knows that the step waits.
template <class Lock>
bool BasicMutex<Lock>::queue(Step& lock) noexcept {
    Line& line = *lock.line;
    // A place may be free yet: admit() may have had no memory for it.
    if (isShared<Lock> || !home_.has(line.core()) || line.isBranch()) return false;
    if (free_ > 0 || waiters_.full()) return false;
    try {
        auto& extra = newExtra<StackExtra>(lock, Extra::stack, sizeof(Wait));
        auto* const wait = ::new (static_cast<void*>(&extra + 1)) Wait(*this, lock);
        extra.object = wait;
        extra.destroy = [](void* object) { static_cast<Wait*>(object)->~Wait(); };
        link(lock, extra);
        waiters_.push(*wait);
        return true;
    } catch (...) {
        return false;
    }
}

template <class Lock>
void BasicMutex<Lock>::leave(Step& section) noexcept {
    leave(*section.line);
}

/// Where nobody waits, all is done here: the row lock.
template <class Lock>
void BasicMutex<Lock>::leave(Line& line) noexcept {
    mutex_.lock();
    Hold& hold = *holds_.find(line);
    if (!kFreeLeave || hold.times > 1 || hold.kept != nullptr || !waiters_.empty()) {
        return leaveOthers(hold);
    }
    ++free_;
    holds_.remove(hold);
    mutex_.unlock();
}

/// The lock is taken.
template <class Lock>
void BasicMutex<Lock>::leaveOthers(Hold& hold) noexcept {
    std::unique_lock locked(mutex_, std::adopt_lock);
    release(hold, locked);
}

template <class Lock>
void BasicMutex<Lock>::wait(Step& lock) {
    if (!enter(lock)) enqueue(lock);
}

/// At once, or it has to wait; raises what forbids that.
template <class Lock>
bool BasicMutex<Lock>::enter(Step& lock) {
    home_.check("sync", lock.line->core());
    const Entry entry = attempt(*lock.line, nullptr);
    if (entry > Entry::wait) refuse(lock, entry == Entry::deadlock);
    return entry == Entry::in;
}

template <class Lock>
void BasicMutex<Lock>::enqueue(Step& lock) {
    const auto begin = [&](Wait& wait) { return attempt(*lock.line, &wait); };
    const Entry entry = attemptWaiting<Wait>(lock, begin, *this);
    if (entry > Entry::wait) refuse(lock, entry == Entry::deadlock);
    if (entry == Entry::in) lock.success();
}

/// At once, under the lock; or there is no place.
template <class Lock>
inline bool BasicMutex<Lock>::enter(Line& line) {
    if (Hold* hold = holds_.find(line)) {
        ++hold->times;
        return true;
    }
    if (free_ == 0) return false;
    holds_.add(line);
    --free_;
    return true;
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicMutex<Lock>::attempt(Line& line, Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (enter(line)) return Entry::in;
    if (line.isBranch() && heldAround(holds_, &line) == max_) return Entry::deadlock;
    if (waiters_.full()) return Entry::full;
    if (wait != nullptr) waiters_.push(*wait);
    return Entry::wait;
}

template <class Lock>
bool BasicMutex<Lock>::has(Line& line) noexcept {
    const std::lock_guard locked(mutex_);
    return holds_.find(line) != nullptr;
}

template <class Lock>
void BasicMutex<Lock>::release(Hold& hold, std::unique_lock<Lock>& locked) noexcept {
    if (--hold.times > 0) return;
    const bool isKept = Keeps::isKept(hold);
    holds_.remove(hold);
    if (!isKept) freePlace(locked);
}

template <class Lock>
void BasicMutex<Lock>::freePlace(std::unique_lock<Lock>& locked) noexcept {
    while (!waiters_.empty()) {
        auto& wait = static_cast<Wait&>(*waiters_.front());
        Line& next = *wait.line;
        waiters_.remove(wait);
        holds_.add(next);
        bool abandoned = false;
        if (give(wait, locked, abandoned)) return;
        if (!abandoned) lose(next);
    }
    ++free_;
}

/// What the line was to have goes to others.
template <class Lock>
void BasicMutex<Lock>::lose(Line& line) noexcept {
    if (Hold* hold = holds_.find(line)) holds_.remove(*hold);
}

/// The step of the waiter was cancelled.
template <class Lock>
void BasicMutex<Lock>::giveUp(Waiter& waiter) noexcept {
    std::unique_lock locked(mutex_);
    if (waiter.state == Waiter::queued) {
        waiters_.remove(waiter);
    } else if (waiter.state == Waiter::granting) {
        lose(*waiter.line);
        dropGrant(waiter, true);
    } else if (waiter.state == Waiter::granted) {
        waiter.state = Waiter::over;
        if (Hold* hold = holds_.find(*waiter.line)) release(*hold, locked);
    }
}

/// The step of the waiter has closed.
template <class Lock>
void BasicMutex<Lock>::gone(Waiter& waiter) noexcept {
    const std::lock_guard locked(mutex_);
    if (waiter.state == Waiter::queued) waiters_.remove(waiter);
    if (waiter.state == Waiter::granting) dropGrant(waiter, false);
}

template class BasicMutex<NoMutex>;
template class BasicMutex<std::mutex>;

}  // namespace steptree::detail
