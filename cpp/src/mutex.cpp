#include "steptree/mutex.hpp"

#include <string>
#include <utility>

#include "fast.hpp"
#include "guardlook.hpp"
#include "misuse.hpp"
#include "waiters.hpp"

/// Places for lines. While somebody waits no place is free: those that are given back go to the
/// first who can still take them, and are put aside while they are too few for him. They are his
/// line's from then on, whenever that moves.
namespace steptree::detail {

template <class Lock>
struct BasicMutex<Lock>::Wait : Waiter {
    Wait(BasicMutex& mutex, std::int64_t places, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), mutex(mutex), places(places) {}
    Wait(BasicMutex& mutex, Step& lock) noexcept
        : Waiter(*lock.line, lock), mutex(mutex), places(1) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
        if (isShared<Lock> || state == queued) mutex.gone(*this);
    }
    void leave(Step&) noexcept { mutex.giveUp(*this); }

    BasicMutex& mutex;
    const std::int64_t places;
};

template <class Lock>
class BasicMutex<Lock>::Places final : public Guard {
  public:
    Places(BasicMutex& mutex, std::int64_t n) noexcept : mutex_(mutex), n_(n) {}
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
    ~Places() = default;
    std::int64_t count() const noexcept { return n_; }

  private:
    bool admit(Line& line) noexcept override {
        if (!mutex_.home_.takes(line.core())) return false;
        try {
            const std::lock_guard locked(mutex_.mutex_);
            return mutex_.enter(line, n_);
        } catch (...) {
            return false;
        }
    }
    void wait(Step& lock) override {
        if (!mutex_.enter(lock, n_)) mutex_.enqueue(lock, n_);
    }
    void leave(Step& section, const Why& why) noexcept override { mutex_.leave(section, why); }
    KeptPlace* keep(Line& line) noexcept override { return mutex_.keep(line); }
    void show(GuardLook& look) override { mutex_.show(look); }

    BasicMutex& mutex_;
    const std::int64_t n_;
};

namespace {

/// Of a mutex without a lock: what holds none costs nothing (the row lock_contended).
std::unique_lock<NoMutex> nothingLocked;

/// Raises why the step can't wait.
[[noreturn]] void refuse(Step& step, bool deadlock, const std::string& name,
                         const char* kind = "mutex") {
    if (!deadlock) reject(step, kind, name);
    reject(step, kind, name, -1, "the places are those of enclosing lines, or of the line itself",
           errors::Deadlock);
}

}  // namespace

template <class Lock>
BasicMutex<Lock>::BasicMutex(const MutexOptions& options)
    : max_(checkFinite("Mutex: max", options.max)),
      maxQueue_(checkLimit("Mutex: maxQueue", options.maxQueue, 0)),
      quietQueue_(maxQueue_),
      free_(max_),
      keeps_(options.abandoned == Abandoned::keep, this,
             [](void* guard, KeptHold& kept) noexcept {
                 static_cast<BasicMutex*>(guard)->free(kept);
             }),
      name_(options.name) {}

template <class Lock>
BasicMutex<Lock>::~BasicMutex() = default;

template <class Lock>
Guard& BasicMutex<Lock>::places(std::int64_t n) {
    home_.checkHere("places");
    if (n < 1 || n > max_) {
        misuse("places: expected a whole number from 1 to " + std::to_string(max_) + ", got " +
               std::to_string(n));
    }
    const std::lock_guard locked(mutex_);
    for (Places& known : places_) {
        if (known.count() == n) return known;
    }
    quietQueue_ = 0;
    return places_.emplace_front(*this, n);
}

template <class Lock>
std::int64_t BasicMutex<Lock>::waiting() const {
    home_.checkHere("waiting");
    const std::lock_guard locked(mutex_);
    return waiters_.count();
}

template <class Lock>
std::int64_t BasicMutex<Lock>::active() const {
    home_.checkHere("active");
    return max_ - available();
}

template <class Lock>
std::int64_t BasicMutex<Lock>::available() const {
    home_.checkHere("available");
    const std::lock_guard locked(mutex_);
    return free_ + aside_;
}

template <class Lock>
bool BasicMutex<Lock>::isNew(std::int64_t) noexcept {
    const std::lock_guard locked(mutex_);
    return free_ == max_;
}

template <class Lock>
KeptPlace* BasicMutex<Lock>::keep(Line& line) noexcept {
    const std::lock_guard locked(mutex_);
    Hold* const hold = holds_.find(line);
    return hold != nullptr ? keeps_.keep(*hold) : nullptr;
}

template <class Lock>
void BasicMutex<Lock>::show(GuardLook& look) {
    if (look.begins(*this, "mutex", name_)) showPlaces(look);
}

/// Also of a limiter.
template <class Lock>
void BasicMutex<Lock>::showPlaces(GuardLook& look) {
    const std::lock_guard locked(mutex_);
    look.waiting(waiters_.count());
    look.places(max_ - free_ - aside_, free_ + aside_);
    look.queue(waiters_);
    look.held(holds_);
}

/// Nothing that was abandoned keeps it any more.
template <class Lock>
void BasicMutex<Lock>::free(KeptHold& kept) noexcept {
    std::unique_lock locked(mutex_);
    if (kept.line == nullptr) return grant(kept.places, locked);
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
    if (free_ > 0 || waiters_.count() >= quietQueue_) return false;
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
void BasicMutex<Lock>::leave(Step& section, const Why&) noexcept {
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
    free_ += hold.places;
    holds_.remove(hold);
    mutex_.unlock();
}

/// The lock is taken.
template <class Lock>
void BasicMutex<Lock>::leaveOthers(Hold& hold) noexcept {
    if constexpr (isShared<Lock>) {
        std::unique_lock locked(mutex_, std::adopt_lock);
        release(hold, locked);
    } else {
        release(hold, nothingLocked);
    }
}

template <class Lock>
void BasicMutex<Lock>::wait(Step& lock) {
    if (!enter(lock)) enqueue(lock, 1);
}

/// At once, or it has to wait; raises what forbids that.
template <class Lock>
bool BasicMutex<Lock>::enter(Step& lock, std::int64_t places, const char* kind) {
    home_.check("sync", lock.line->core());
    const Entry entry = attempt(*lock.line, nullptr, places);
    if (entry > Entry::wait) refuse(lock, entry == Entry::deadlock, name_, kind);
    return entry == Entry::in;
}

template <class Lock>
void BasicMutex<Lock>::enqueue(Step& lock, std::int64_t places) {
    const auto begin = [&](Wait& wait) { return attempt(*lock.line, &wait, places); };
    const Entry entry = attemptWaiting<Wait>(lock, begin, *this, places);
    if (entry > Entry::wait) refuse(lock, entry == Entry::deadlock, name_);
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

/// The same for several places.
template <class Lock>
bool BasicMutex<Lock>::enter(Line& line, std::int64_t places) {
    if (Hold* hold = holds_.find(line)) {
        if (hold->places < places) return false;
        ++hold->times;
        return true;
    }
    if (free_ < places) return false;
    holds_.add(line, places);
    free_ -= places;
    return true;
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicMutex<Lock>::attempt(Line& line, Wait* wait, std::int64_t places) -> Entry {
    const std::lock_guard locked(mutex_);
    if (enter(line, places)) return Entry::in;
    if (places > 1 && holds_.find(line) != nullptr) return Entry::deadlock;
    const std::int64_t around = line.isBranch() ? heldAround(holds_, &line) : 0;
    if (around > max_ - places) return Entry::deadlock;
    // Who wants several places waits for the lines around this one.
    Waiter* const after = around > 0 ? severalWanted() : nullptr;
    if (after != nullptr && after == waiters_.front() && aside_ >= places) {
        holds_.add(line, places);
        aside_ -= places;
        return Entry::in;
    }
    if (waiters_.count() >= maxQueue_) return Entry::full;
    if (wait == nullptr) return Entry::wait;
    if (!places_.empty()) holds_.reserve(static_cast<std::size_t>(waiters_.count()) + 1);
    aside_ += std::exchange(free_, 0);
    if (after != nullptr) {
        waiters_.pushBefore(*after, *wait);
    } else {
        waiters_.push(*wait);
    }
    return Entry::wait;
}

/// The first who waits for several places.
template <class Lock>
Waiter* BasicMutex<Lock>::severalWanted() const noexcept {
    Waiter* waiter = places_.empty() ? nullptr : waiters_.front();
    while (waiter != nullptr && static_cast<Wait&>(*waiter).places == 1) {
        waiter = waiters_.after(*waiter);
    }
    return waiter;
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
    const std::int64_t places = hold.places;
    holds_.remove(hold);
    if (!isKept) grant(places, locked);
}

/// So many have been given back, beside those that are put aside.
template <class Lock>
void BasicMutex<Lock>::grant(std::int64_t given, std::unique_lock<Lock>& locked) noexcept {
    while (!waiters_.empty()) {
        if (aside_ != 0) [[unlikely]]
            given += std::exchange(aside_, 0);
        auto& wait = static_cast<Wait&>(*waiters_.front());
        const std::int64_t places = wait.places;
        if (given < places && waits(wait)) [[unlikely]] {
            aside_ = given;
            return;
        }
        Line& next = *wait.line;
        waiters_.remove(wait);
        given -= places;
        holds_.add(next, places);
        bool abandoned = false;
        if (give(wait, locked, abandoned)) {
            if (given == 0) return;  // the row lock_contended
            continue;
        }
        if (!abandoned) lose(next);
        given += places;
    }
    free_ += given + std::exchange(aside_, 0);
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
        if (aside_ > 0) grant(0, locked);
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
    std::unique_lock locked(mutex_);
    if (waiter.state == Waiter::granting) dropGrant(waiter, false);
    if (waiter.state != Waiter::queued) return;
    waiters_.remove(waiter);
    if (aside_ > 0) grant(0, locked);
}

template class BasicMutex<NoMutex>;
template class BasicMutex<std::mutex>;

}  // namespace steptree::detail
