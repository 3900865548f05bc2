#include "steptree/barrier.hpp"

#include "guardlook.hpp"
#include "waiters.hpp"

/// Lines that wait for each other.
namespace steptree::detail {

template <class Lock>
BasicBarrier<Lock>::BasicBarrier(const BarrierOptions& options)
    : parties_(checkFinite("Barrier: parties", options.parties)) {}

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
void BasicBarrier<Lock>::show(GuardLook& look) {
    if (!look.begins(*this, "barrier", {})) return;
    const std::lock_guard locked(mutex_);
    look.waiting(waiters_.count());
    look.queue(waiters_);
}

template <class Lock>
void BasicBarrier<Lock>::arrive(Step& step) {
    home_.check("wait", step.line->core());
    if (attempt(nullptr) == Entry::in) return;
    const auto begin = [this](Waiter& wait) { return attempt(&wait); };
    attemptWaiting<PlainWait<Lock>>(step, begin, *this, mutex_, waiters_);
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicBarrier<Lock>::attempt(Waiter* wait) -> Entry {
    const std::lock_guard locked(mutex_);
    if (isComplete()) forgetCancelled();
    if (!isComplete()) {
        if (wait != nullptr) waiters_.push(*wait);
        return Entry::wait;
    }
    wakeAll(waiters_);
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

template class BasicBarrier<NoMutex>;
template class BasicBarrier<std::mutex>;

}  // namespace steptree::detail
