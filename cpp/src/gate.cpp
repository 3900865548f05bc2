#include "steptree/gate.hpp"

#include "guardlook.hpp"
#include "waiters.hpp"

/// Open or closed, for everybody. While it's open nobody waits.
namespace steptree::detail {

template <class Lock>
BasicGate<Lock>::BasicGate(const GateOptions& options)
    : maxQueue_(checkLimit("Gate: maxQueue", options.maxQueue, 0)),
      open_(options.open),
      name_(options.name) {}

template <class Lock>
void BasicGate<Lock>::open() {
    home_.checkHere("open");
    const std::lock_guard locked(mutex_);
    open_ = true;
    wakeAll(waiters_);
}

template <class Lock>
void BasicGate<Lock>::close() {
    home_.checkHere("close");
    const std::lock_guard locked(mutex_);
    open_ = false;
}

template <class Lock>
bool BasicGate<Lock>::isOpen() const {
    home_.checkHere("isOpen");
    const std::lock_guard locked(mutex_);
    return open_;
}

template <class Lock>
std::int64_t BasicGate<Lock>::waiting() const {
    home_.checkHere("waiting");
    const std::lock_guard locked(mutex_);
    return waiters_.count();
}

template <class Lock>
void BasicGate<Lock>::show(GuardLook& look) {
    if (!look.begins(*this, "gate", name_)) return;
    const std::lock_guard locked(mutex_);
    look.waiting(waiters_.count());
    look.queue(waiters_);
}

template <class Lock>
void BasicGate<Lock>::wait(IAsyncSteps& asi) {
    asi.add([this](IAsyncSteps& step) { wait(stepOf(step)); });
}

template <class Lock>
bool BasicGate<Lock>::admit(Line& line) noexcept {
    try {
        if (!home_.takes(line.core())) [[unlikely]]
            return false;
        const std::lock_guard locked(mutex_);
        return open_;
    } catch (...) {
        return false;
    }
}

template <class Lock>
void BasicGate<Lock>::wait(Step& lock) {
    home_.check("wait", lock.line->core());
    Entry entry = attempt(nullptr);
    if (entry == Entry::wait) {
        const auto begin = [this](Waiter& wait) { return attempt(&wait); };
        entry = attemptWaiting<PlainWait<Lock>>(lock, begin, *this, mutex_, waiters_);
    }
    if (entry == Entry::full) reject(lock, "gate", name_);
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicGate<Lock>::attempt(Waiter* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (open_) return Entry::in;
    if (waiters_.count() >= maxQueue_) return Entry::full;
    if (wait != nullptr) waiters_.push(*wait);
    return Entry::wait;
}

template class BasicGate<NoMutex>;
template class BasicGate<std::mutex>;

}  // namespace steptree::detail
