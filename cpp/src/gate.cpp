#include "steptree/gate.hpp"

#include "waiters.hpp"

/// Open or closed, for everybody. While it's open nobody waits. Completions are called under the
/// lock: so who waits has what he was told.
namespace steptree::detail {

template <class Lock>
struct BasicGate<Lock>::Wait : Waiter {
    Wait(BasicGate& gate, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), gate(gate) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { gate.gone(*this); }
    void leave(Step&) noexcept { gate.gone(*this); }

    BasicGate& gate;
};

template <class Lock>
BasicGate<Lock>::BasicGate(const GateOptions& options)
    : maxQueue_(checkQueue(options.maxQueue)), open_(options.open), name_(options.name) {}

template <class Lock>
void BasicGate<Lock>::open() {
    home_.checkHere("open");
    const std::lock_guard locked(mutex_);
    open_ = true;
    while (Waiter* const waiter = waiters_.front()) {
        waiters_.remove(*waiter);
        waiter->completion.success();
    }
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
        entry = attemptWaiting<Wait>(
            lock, [this](Wait& wait) { return attempt(&wait); }, *this);
        if (entry == Entry::in) lock.success();
    }
    if (entry == Entry::full) reject(lock, "gate", name_);
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicGate<Lock>::attempt(Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (open_) return Entry::in;
    if (waiters_.count() >= maxQueue_) return Entry::full;
    if (wait != nullptr) waiters_.push(*wait);
    return Entry::wait;
}

/// The step of the waiter was cancelled, or has closed.
template <class Lock>
void BasicGate<Lock>::gone(Wait& wait) noexcept {
    const std::lock_guard locked(mutex_);
    if (wait.state == Waiter::queued) waiters_.remove(wait);
}

template class BasicGate<NoMutex>;
template class BasicGate<std::mutex>;

}  // namespace steptree::detail
