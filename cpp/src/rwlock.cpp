#include "steptree/rwlock.hpp"

#include "guardlook.hpp"
#include "waiters.hpp"

/// While somebody waits nobody else enters, but for lines that have the lock already, or whose
/// enclosing lines read: who waits in front has to wait for those anyway.
namespace steptree::detail {

template <class Lock>
struct BasicRwLock<Lock>::Wait : Waiter {
    Wait(BasicRwLock& owner, bool writes, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), owner(owner), writes(writes) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
        if (isShared<Lock> || state == queued) owner.giveUp(*this, false);
    }
    void leave(Step&) noexcept { owner.giveUp(*this, true); }

    BasicRwLock& owner;
    const bool writes;
};

template <class Lock>
BasicRwLock<Lock>::BasicRwLock(const RwLockOptions& options)
    : maxQueue_(checkLimit("RwLock: maxQueue", options.maxQueue, 0)),
      keeps_(options.abandoned == Abandoned::keep, this,
             [](void* guard, KeptHold& kept) noexcept {
                 static_cast<BasicRwLock*>(guard)->free(kept);
             }),
      name_(options.name) {}

template <class Lock>
BasicRwLock<Lock>::~BasicRwLock() = default;

template <class Lock>
std::int64_t BasicRwLock<Lock>::waiting() const {
    home_.checkHere("waiting");
    const std::lock_guard locked(mutex_);
    return waiters_.count();
}

template <class Lock>
std::int64_t BasicRwLock<Lock>::Side::waiting() const {
    owner_.home_.checkHere("waiting");
    const std::lock_guard locked(owner_.mutex_);
    return waiting_;
}

template <class Lock>
std::int64_t BasicRwLock<Lock>::Side::active() const {
    owner_.home_.checkHere("active");
    const std::lock_guard locked(owner_.mutex_);
    return writes_ ? std::int64_t{owner_.written_} : owner_.readers_;
}

template <class Lock>
void BasicRwLock<Lock>::remove(Wait& wait) noexcept {
    waiters_.remove(wait);
    --(wait.writes ? write : read).waiting_;
}

template <class Lock>
bool BasicRwLock<Lock>::Side::admit(Line& line) noexcept {
    try {
        if (!owner_.home_.takes(line.core())) [[unlikely]]
            return false;
        return owner_.attempt(line, writes_, nullptr) == Entry::in;
    } catch (...) {
        return false;
    }
}

template <class Lock>
void BasicRwLock<Lock>::Side::wait(Step& lock) {
    owner_.home_.check("sync", lock.line->core());
    Entry entry = owner_.attempt(*lock.line, writes_, nullptr);
    if (entry == Entry::wait) {
        const auto begin = [&](Wait& wait) { return owner_.attempt(*lock.line, writes_, &wait); };
        entry = attemptWaiting<Wait>(lock, begin, owner_, writes_);
    }
    if (entry == Entry::full) reject(lock, "rwlock", owner_.name_);
    if (entry == Entry::deadlock) {
        reject(lock, "rwlock", owner_.name_, -1, "the line, or one around it, is in",
               errors::Deadlock);
    }
}

template <class Lock>
void BasicRwLock<Lock>::Side::leave(Step& section, const Why&) noexcept {
    const std::lock_guard locked(owner_.mutex_);
    owner_.release(writes_, *owner_.holdOf(*section.line, writes_));
}

template <class Lock>
KeptPlace* BasicRwLock<Lock>::Side::keep(Line& line) noexcept {
    const std::lock_guard locked(owner_.mutex_);
    Hold* const hold = owner_.holdOf(line, writes_);
    return hold != nullptr ? owner_.keeps_.keep(*hold, writes_) : nullptr;
}

template <class Lock>
void BasicRwLock<Lock>::Side::show(GuardLook& look) {
    owner_.show(look, writes_ ? "rwlock.write" : "rwlock.read");
}

/// One of the two stands for both. Beside the line that writes is nobody who reads.
template <class Lock>
void BasicRwLock<Lock>::show(GuardLook& look, const char* side) {
    if (!look.begins(read, "rwlock", side, name_)) return;
    const std::lock_guard locked(mutex_);
    look.waiting(waiters_.count());
    look.active(written_ ? 1 : readers_);
    look.queue(waiters_);
    look.held(reading_);
    if (writer_.line != nullptr) look.held(writer_);
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicRwLock<Lock>::attempt(Line& line, bool writes, Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (Hold* hold = holdOf(line, writes)) {
        ++hold->times;
        return Entry::in;
    }
    if (!writes && writer_.line == &line) {
        take(line, writes);
        return Entry::in;
    }
    return enter(line, writes, wait);
}

/// The line has nothing by which it could be in already.
template <class Lock>
auto BasicRwLock<Lock>::enter(Line& line, bool writes, Wait* wait) -> Entry {
    bool underReader = false;
    for (Line* outer = lineAround(line); outer != nullptr; outer = lineAround(*outer)) {
        if (writer_.line == outer) return Entry::deadlock;
        underReader = underReader || reading_.find(*outer) != nullptr;
    }
    if (writes && (underReader || reading_.find(line) != nullptr)) return Entry::deadlock;
    if (underReader || (waiters_.empty() && admits(writes))) {
        take(line, writes);
        return Entry::in;
    }
    if (waiters_.count() >= maxQueue_) return Entry::full;
    if (wait != nullptr) {
        if (!writes) reading_.reserve(static_cast<std::size_t>(waiters_.count()) + 1);
        waiters_.push(*wait);
        ++(writes ? write : read).waiting_;
    }
    return Entry::wait;
}

template <class Lock>
Hold* BasicRwLock<Lock>::holdOf(Line& line, bool writes) noexcept {
    if (!writes) return reading_.find(line);
    return writer_.line == &line ? &writer_ : nullptr;
}

template <class Lock>
bool BasicRwLock<Lock>::admits(bool writes) const noexcept {
    return !written_ && (!writes || readers_ == 0);
}

template <class Lock>
void BasicRwLock<Lock>::take(Line& line, bool writes) {
    if (writes) {
        writer_ = {&line, 1};
        written_ = true;
    } else {
        reading_.add(line);
        ++readers_;
    }
}

template <class Lock>
void BasicRwLock<Lock>::release(bool writes, Hold& hold) noexcept {
    if (--hold.times > 0) return;
    const bool isKept = Keeps::isKept(hold);
    if (writes) {
        writer_ = {};
    } else {
        reading_.remove(hold);
    }
    if (!isKept) free(writes);
}

template <class Lock>
void BasicRwLock<Lock>::free(bool writes) noexcept {
    if (writes) {
        written_ = false;
    } else {
        --readers_;
    }
    grant();
}

/// Nothing that was abandoned keeps it any more.
template <class Lock>
void BasicRwLock<Lock>::free(KeptHold& kept) noexcept {
    const std::lock_guard locked(mutex_);
    if (kept.line == nullptr) return free(kept.writes);
    (kept.writes ? &writer_ : reading_.find(*kept.line))->kept = nullptr;
}

/// There is room for those who wait to read: see enter().
template <class Lock>
void BasicRwLock<Lock>::grant() noexcept {
    while (auto* const wait = static_cast<Wait*>(waiters_.front())) {
        if (wait->completion.valid() && !admits(wait->writes)) return;
        remove(*wait);
        if (!wait->completion.success()) continue;
        wait->state = Waiter::granted;
        take(*wait->line, wait->writes);
    }
}

/// The step of the waiter has closed; or was cancelled, perhaps after a grant while its body ran.
/// Who stood behind may be the next.
template <class Lock>
void BasicRwLock<Lock>::giveUp(Wait& wait, bool abandons) noexcept {
    const std::lock_guard locked(mutex_);
    if (wait.state == Waiter::queued) {
        remove(wait);
        grant();
    } else if (abandons && wait.state == Waiter::granted) {
        wait.state = Waiter::over;
        const bool writes = wait.writes;
        if (Hold* hold = holdOf(*wait.line, writes)) release(writes, *hold);
    }
}

template class BasicRwLock<NoMutex>;
template class BasicRwLock<std::mutex>;

}  // namespace steptree::detail
