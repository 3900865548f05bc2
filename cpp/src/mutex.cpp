#include "steptree/mutex.hpp"

#include "extras.hpp"
#include "guards.hpp"
#include "misuse.hpp"

/// Places for lines. While somebody waits no place is free: one that is given back goes to the
/// first who can still take it. It is his line's from then on, whenever that moves.
namespace steptree::detail {

template <class Lock>
struct BasicMutex<Lock>::Wait : Waiter {
    Wait(BasicMutex& mutex, bool lends, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), mutex(mutex), lends(lends) {}
    Wait(BasicMutex& mutex, Step& lock) noexcept
        : Waiter(*lock.line, lock), mutex(mutex), lends(false) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
        if (isShared<Lock> || state == queued) mutex.gone(*this);
    }
    void leave(Step&) noexcept { mutex.giveUp(*this); }

    BasicMutex& mutex;
    const bool lends;
};

namespace {

/// How many of the places are those of lines around that one.
std::int64_t heldAround(Holds& holds, Line* line) noexcept {
    std::int64_t count = 0;
    while ((line = lineAround(*line)) != nullptr) {
        if (holds.find(*line) != nullptr) ++count;
    }
    return count;
}

/// Raises why the step can't wait.
[[noreturn]] void refuse(Step& step, bool deadlock) {
    if (!deadlock) reject(step, "mutex: the queue is full");
    step.error(errors::Deadlock, "mutex: every place is that of an enclosing line");
}

}  // namespace

template <class Lock>
BasicMutex<Lock>::BasicMutex(std::int64_t max, std::int64_t maxQueue, Abandoned abandoned)
    : Lender(&home_),
      max_(checkFinite("max", max)),
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
void BasicMutex<Lock>::lock(IAsyncSteps& asi) {
    lockAs(asi, !isSectionOf(stepOf(asi), *this));
}

template <class Lock>
bool BasicMutex<Lock>::enters(Line& line) noexcept {
    if (!home_.has(line.core())) [[unlikely]]
        return entersAnew(line);
    try {
        const std::lock_guard locked(mutex_);
        return admit(line, false);
    } catch (...) {
        return false;
    }
}

/// Not as a flow of the tool whose the guard is.
template <class Lock>
bool BasicMutex<Lock>::entersAnew(Line& line) noexcept {
    if (!home_.takes(line.core())) return false;
    try {
        return admit(line, false);
    } catch (...) {
        return false;
    }
}

/// On the guard's own thread nothing but the guard knows that the step waits.
template <class Lock>
bool BasicMutex<Lock>::waits(Step& lock) noexcept {
    Line& line = *lock.line;
    // A place may be free yet: enters() may have had no memory for it.
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

/// Where nobody waits, all is done here: the row lock.
template <class Lock>
bool BasicMutex<Lock>::leaves(Line& line) noexcept {
    mutex_.lock();
    Hold* const hold = holds_.find(line);
    if (hold == nullptr) {
        mutex_.unlock();
        return false;
    }
    if (hold->times > 1 || hold->kept != nullptr || !waiters_.empty()) return leavesOthers(*hold);
    ++free_;
    holds_.remove(*hold);
    mutex_.unlock();
    return true;
}

/// The lock is taken.
template <class Lock>
bool BasicMutex<Lock>::leavesOthers(Hold& hold) noexcept {
    std::unique_lock locked(mutex_, std::adopt_lock);
    release(hold, locked);
    return true;
}

template <class Lock>
void BasicMutex<Lock>::lockAs(IAsyncSteps& asi, bool lends) {
    if (!enter(asi, lends)) queue(asi, lends);
}

/// At once, or it has to wait; raises what forbids that.
template <class Lock>
bool BasicMutex<Lock>::enter(IAsyncSteps& asi, bool lends) {
    Step& step = lockingStep(asi);
    home_.check("lock", step.line->core());
    if (lends) [[unlikely]]
        know(*step.line);
    const Entry entry = attempt(*step.line, lends, nullptr);
    if (entry > Entry::wait) refuse(step, entry == Entry::deadlock);
    return entry == Entry::in;
}

template <class Lock>
void BasicMutex<Lock>::queue(IAsyncSteps& asi, bool lends) {
    Step& step = stepOf(asi);
    Wait* wait = nullptr;
    Entry entry = Entry::wait;
    const auto begin = [&] {
        wait = &newWait<Wait>(step, *this, lends, *step.line, asi.waitExternal());
        entry = attempt(*step.line, lends, wait);
    };
    orElse(step, begin, [&] {
        if (wait != nullptr) giveUp(*wait);
    });
    if (entry > Entry::wait) refuse(step, entry == Entry::deadlock);
    if (entry == Entry::in) asi.success();
}

/// At once, under the lock; or there is no place.
template <class Lock>
inline bool BasicMutex<Lock>::admit(Line& line, bool lends) {
    if (Hold* hold = holds_.find(line)) {
        ++hold->times;
        if (lends && hold->lent == 0) hold->lent = lend();
        return true;
    }
    if (free_ == 0) return false;
    take(line, lends);
    --free_;
    return true;
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicMutex<Lock>::attempt(Line& line, bool lends, Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (admit(line, lends)) return Entry::in;
    if (line.isBranch() && heldAround(holds_, &line) == max_) return Entry::deadlock;
    if (waiters_.full()) return Entry::full;
    if (wait != nullptr) waiters_.push(*wait);
    return Entry::wait;
}

template <class Lock>
void BasicMutex<Lock>::take(Line& line, bool lends) {
    holds_.add(line, lends ? lend() : 0);
}

template <class Lock>
void BasicMutex<Lock>::unlock(IAsyncSteps& asi) {
    Line& line = *stepOf(asi).line;
    home_.check("unlock", line.core());
    std::unique_lock locked(mutex_);
    Hold* const hold = holds_.find(line);
    if (hold == nullptr) misuse("unlock: the line has not locked the mutex");
    release(*hold, locked);
}

template <class Lock>
bool BasicMutex<Lock>::isHeldBy(IAsyncSteps& asi) {
    const std::lock_guard locked(mutex_);
    return holds_.find(*stepOf(asi).line) != nullptr;
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
        take(next, wait.lends);
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

template <class Lock>
std::uint64_t BasicMutex<Lock>::lastOf(Line& line) noexcept {
    const std::lock_guard locked(mutex_);
    const Hold* const hold = holds_.find(line);
    return hold != nullptr ? hold->lent : 0;
}

template <class Lock>
void BasicMutex<Lock>::takeBack(Line& line, std::uint64_t) noexcept {
    std::unique_lock locked(mutex_);
    release(*holds_.find(line), locked);
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
