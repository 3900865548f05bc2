#include "steptree/limiter.hpp"

#include "extras.hpp"
#include "guards.hpp"

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
        try {
            if (taken || mutex.isHeldBy(step)) mutex.unlock(step);
        } catch (...) {
            report(*step.line->flow, std::current_exception(), step);
        }
    }
};

/// A lock that has to wait does so in steps of its own. The place is given back if they don't come
/// to their end.
template <class Lock>
void BasicLimiter<Lock>::lock(IAsyncSteps& asi) {
    Step& step = stepOf(asi);
    const bool lends = !isSectionOf(step, *this);
    const bool entered = mutex_.enter(asi, lends);
    if (entered) {
        std::int64_t retryAfter = -1;
        const auto entry = throttle_.enter(asi, retryAfter);
        if (entry == BasicThrottle<Lock>::Entry::in) return;
        if (entry == BasicThrottle<Lock>::Entry::full) {
            mutex_.unlock(asi);
            reject(step, "throttle: the queue is full", retryAfter);
        }
    }
    // From here on nothing fails.
    orElse(
        step, [&] { step.line->arena.reserve(*step.line, kRoom); },
        [&] {
            if (entered) mutex_.unlock(asi);
        });
    newWait<Place>(step, mutex_, entered);
    if (!entered) asi.add([this, lends](IAsyncSteps& inner) { mutex_.lockAs(inner, lends); });
    asi.add([this](IAsyncSteps& inner) { throttle_.lock(inner); });
}

template <class Lock>
bool BasicLimiter<Lock>::enters(Line& line) noexcept {
    if (!mutex_.enters(line)) return false;
    if (throttle_.enters(line)) return true;
    mutex_.leaves(line);
    return false;
}

template class BasicLimiter<NoMutex>;
template class BasicLimiter<std::mutex>;

}  // namespace steptree::detail
