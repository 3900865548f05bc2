#include "steptree/barrier.hpp"

#include "waiters.hpp"

/// Lines that wait for each other. Completions are called under the lock: so who waits has what he
/// was told.
namespace steptree::detail {

template <class Lock>
struct BasicBarrier<Lock>::Wait : Waiter {
    Wait(BasicBarrier& barrier, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), barrier(barrier) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { barrier.gone(*this); }
    void leave(Step&) noexcept { barrier.gone(*this); }

    BasicBarrier& barrier;
};

template <class Lock>
BasicBarrier<Lock>::BasicBarrier(const BarrierOptions& options)
    : parties_(checkFinite("parties", options.parties)) {}

template <class Lock>
void BasicBarrier<Lock>::wait(IAsyncSteps& asi) {
    asi.add([this](IAsyncSteps& step) { arrive(stepOf(step)); });
}

template <class Lock>
std::int64_t BasicBarrier<Lock>::waiting() const {
    home_.checkHere("waiting");
    const std::lock_guard locked(mutex_);
    return waiters_.count();
}

template <class Lock>
void BasicBarrier<Lock>::arrive(Step& step) {
    home_.check("wait", step.line->core());
    if (attempt(nullptr) == Entry::in) return;
    const auto begin = [this](Wait& wait) { return attempt(&wait); };
    if (attemptWaiting<Wait>(step, begin, *this) == Entry::in) step.success();
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicBarrier<Lock>::attempt(Wait* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (isComplete()) forgetCancelled();
    if (!isComplete()) {
        if (wait != nullptr) waiters_.push(*wait);
        return Entry::wait;
    }
    while (Waiter* const waiter = waiters_.front()) {
        waiters_.remove(*waiter);
        waiter->completion.success();
    }
    return Entry::in;
}

/// Those whose flows are being cancelled are still in the queue.
template <class Lock>
void BasicBarrier<Lock>::forgetCancelled() noexcept {
    for (std::int64_t left = waiters_.count(); left > 0; --left) {
        Waiter& waiter = *waiters_.front();
        waiters_.remove(waiter);
        if (waiter.completion.valid()) waiters_.push(waiter);
    }
}

/// The step of the waiter was cancelled, or has closed.
template <class Lock>
void BasicBarrier<Lock>::gone(Wait& wait) noexcept {
    const std::lock_guard locked(mutex_);
    if (wait.state == Waiter::queued) waiters_.remove(wait);
}

template class BasicBarrier<NoMutex>;
template class BasicBarrier<std::mutex>;

}  // namespace steptree::detail
