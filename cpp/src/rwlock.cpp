#include "steptree/rwlock.hpp"

#include <algorithm>

#include "extras.hpp"
#include "guards.hpp"
#include "misuse.hpp"

/// While somebody waits nobody else enters, but for lines that have the lock already, or whose
/// enclosing lines read: who waits in front has to wait for those anyway.
namespace steptree::detail {

template <class Lock>
struct BasicRwLock<Lock>::Wait : Waiter {
    Wait(BasicRwLock& owner, How how, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), owner(owner), how(how) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
        if (isShared<Lock> || state == queued) owner.leave(*this, false);
    }
    void leave(Step&) noexcept { owner.leave(*this, true); }

    BasicRwLock& owner;
    const How how;
};

template <class Lock>
BasicRwLock<Lock>::BasicRwLock(const RwLockOptions& options)
    : Lender(&home_),
      waiters_(checkQueue(options.maxQueue)),
      keeps_(options.abandoned == Abandoned::keep, this, [](void* guard, KeptHold& kept) noexcept {
          static_cast<BasicRwLock*>(guard)->free(kept);
      }) {}

template <class Lock>
void BasicRwLock<Lock>::Side::lock(IAsyncSteps& asi) {
    Step& step = lockingStep(asi);
    owner_.home_.check("lock", step.line->core());
    const How how{writes_, !isSectionOf(step, *this)};
    if (how.lends) owner_.know(*step.line);
    Entry entry = owner_.attempt(*step.line, how, nullptr);
    if (entry == Entry::wait) {
        Wait* wait = nullptr;
        const auto begin = [&] {
            wait = &newWait<Wait>(step, owner_, how, *step.line, asi.waitExternal());
            entry = owner_.attempt(*step.line, how, wait);
        };
        orElse(step, begin, [&] {
            if (wait != nullptr) owner_.leave(*wait, true);
        });
        if (entry == Entry::in) asi.success();
    }
    if (entry == Entry::full) reject(step, "rwlock: the queue is full");
    if (entry == Entry::deadlock) {
        asi.error(errors::Deadlock, "rwlock: an enclosing line, or the line itself, is in");
    }
}

template <class Lock>
void BasicRwLock<Lock>::Side::unlock(IAsyncSteps& asi) {
    Line& line = *stepOf(asi).line;
    owner_.home_.check("unlock", line.core());
    const std::lock_guard locked(owner_.mutex_);
    Hold* const hold = owner_.holdOf(line, writes_);
    if (hold == nullptr) misuse("unlock: the line has not locked it");
    owner_.release(writes_, *hold);
}

template <class Lock>
bool BasicRwLock<Lock>::Side::enters(Line& line) noexcept {
    try {
        if (!owner_.home_.takes(line.core())) [[unlikely]]
            return false;
        return owner_.attempt(line, {writes_, false}, nullptr) == Entry::in;
    } catch (...) {
        return false;
    }
}

template <class Lock>
bool BasicRwLock<Lock>::Side::leaves(Line& line) noexcept {
    const std::lock_guard locked(owner_.mutex_);
    Hold* const hold = owner_.holdOf(line, writes_);
    if (hold == nullptr) return false;
    owner_.release(writes_, *hold);
    return true;
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicRwLock<Lock>::attempt(Line& line, How how, Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (Hold* hold = holdOf(line, how.writes)) {
        ++hold->times;
        if (how.lends && hold->lent == 0) hold->lent = lend();
        return Entry::in;
    }
    if (!how.writes && writer_.line == &line) {
        take(line, how);
        return Entry::in;
    }
    return enter(line, how, wait);
}

/// The line has nothing by which it could be in already.
template <class Lock>
auto BasicRwLock<Lock>::enter(Line& line, How how, Wait* wait) -> Entry {
    bool underReader = false;
    for (Line* outer = lineAround(line); outer != nullptr; outer = lineAround(*outer)) {
        if (writer_.line == outer) return Entry::deadlock;
        underReader = underReader || reading_.find(*outer) != nullptr;
    }
    if (how.writes && (underReader || reading_.find(line) != nullptr)) return Entry::deadlock;
    if (underReader || (waiters_.empty() && admits(how.writes))) {
        take(line, how);
        return Entry::in;
    }
    if (waiters_.full()) return Entry::full;
    if (wait != nullptr) {
        if (!how.writes) reading_.reserve(static_cast<std::size_t>(waiters_.count()) + 1);
        waiters_.push(*wait);
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
void BasicRwLock<Lock>::take(Line& line, How how) {
    if (how.writes) {
        writer_ = {&line, 1, 0};
        written_ = true;
    } else {
        reading_.add(line, 0);
        ++readers_;
    }
    if (how.lends) holdOf(line, how.writes)->lent = lend();
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

template <class Lock>
KeptPlace* BasicRwLock<Lock>::keep(Line& line, bool writes) noexcept {
    const std::lock_guard locked(mutex_);
    Hold* const hold = holdOf(line, writes);
    return hold != nullptr ? keeps_.keep(*hold, writes) : nullptr;
}

/// Who writes keeps readers out as well.
template <class Lock>
KeptPlace* BasicRwLock<Lock>::keepFor(Line& line) noexcept {
    KeptPlace* const written = keep(line, true);
    return written != nullptr ? written : keep(line, false);
}

/// There is room for those who wait to read: see enter().
template <class Lock>
void BasicRwLock<Lock>::grant() noexcept {
    while (auto* const wait = static_cast<Wait*>(waiters_.front())) {
        if (wait->completion.valid() && !admits(wait->how.writes)) return;
        waiters_.remove(*wait);
        if (!wait->completion.success()) continue;
        wait->state = Waiter::granted;
        take(*wait->line, wait->how);
    }
}

/// The step of the waiter has closed; or was cancelled, perhaps after a grant while its body ran.
/// Who stood behind may be the next.
template <class Lock>
void BasicRwLock<Lock>::leave(Wait& wait, bool abandons) noexcept {
    const std::lock_guard locked(mutex_);
    if (wait.state == Waiter::queued) {
        waiters_.remove(wait);
        grant();
    } else if (abandons && wait.state == Waiter::granted) {
        wait.state = Waiter::over;
        const bool writes = wait.how.writes;
        if (Hold* hold = holdOf(*wait.line, writes)) release(writes, *hold);
    }
}

template <class Lock>
std::uint64_t BasicRwLock<Lock>::lastOf(Line& line) noexcept {
    const std::lock_guard locked(mutex_);
    std::uint64_t last = 0;
    for (const bool writes : {false, true}) {
        const Hold* const hold = holdOf(line, writes);
        if (hold != nullptr) last = std::max(last, hold->lent);
    }
    return last;
}

template <class Lock>
void BasicRwLock<Lock>::takeBack(Line& line, std::uint64_t lent) noexcept {
    const std::lock_guard locked(mutex_);
    Hold* const written = holdOf(line, true);
    const bool writes = written != nullptr && written->lent == lent;
    release(writes, writes ? *written : *holdOf(line, false));
}

template class BasicRwLock<NoMutex>;
template class BasicRwLock<std::mutex>;

}  // namespace steptree::detail
