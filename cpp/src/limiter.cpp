#include "steptree/limiter.hpp"

#include "waiters.hpp"

namespace steptree::detail {

namespace {

/// Of what stands for the place, and of two steps that capture next to nothing.
constexpr std::size_t kRoom = sizeof(WaitExtra) + 2 * sizeof(Step) + 14 * sizeof(void*);

}  // namespace

/// Of a step that waits for the throttle, or for the place before that.
template <class Lock>
struct BasicLimiter<Lock>::Place {
    Place(BasicMutex<Lock>& mutex, bool taken) noexcept : mutex(mutex), taken(taken) {}

    BasicMutex<Lock>& mutex;
    const bool taken;

    void leave(Step& step) noexcept {
        if (taken || mutex.has(*step.line)) mutex.leave(*step.line);
    }
};

/// A throttle that refuses leaves no place held.
template <class Lock>
bool BasicLimiter<Lock>::admit(Line& line) noexcept {
    if (!mutex_.admit(line)) return false;
    if (throttle_.admit(line)) return true;
    mutex_.leave(line);
    return false;
}

/// In steps of its own. The place is given back if they don't come to their end.
template <class Lock>
void BasicLimiter<Lock>::wait(Step& lock) {
    Line& line = *lock.line;
    const bool taken = mutex_.enter(lock);
    try {
        if (taken && throttle_.enter(lock)) return;
        line.arena.reserve(line, kRoom);  // from here on nothing fails
    } catch (...) {
        if (taken) mutex_.leave(line);
        throw;
    }
    newWait<Place>(lock, mutex_, taken);
    if (!taken) lock.add([this](IAsyncSteps& inner) { mutex_.wait(stepOf(inner)); });
    lock.add([this](IAsyncSteps& inner) { throttle_.wait(stepOf(inner)); });
}

template class BasicLimiter<NoMutex>;
template class BasicLimiter<std::mutex>;

}  // namespace steptree::detail
