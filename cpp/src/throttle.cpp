#include "steptree/throttle.hpp"

#include "guardlook.hpp"
#include "misuse.hpp"
#include "waiters.hpp"

/// Entries for lines. While somebody waits nobody else enters.
///
/// Those of one tool who wait stand in its queue too. The timer that fires for them is that of
/// one of them, who leads: only the tool's own thread arms it or takes it away. A leader who leaves
/// is followed by the next one, whose timer takes the place of his. Another thread may let the
/// leader in; then he leads on until his step has closed, on his thread.
namespace steptree::detail {

namespace {

ThrottleAlgorithm algorithmOf(const ThrottleOptions& options) {
    constexpr auto bucket = ThrottleAlgorithm::bucket;
    if (!options.burst) return options.algorithm.value_or(ThrottleAlgorithm::fixed);
    if (options.algorithm.value_or(bucket) != bucket)
        misuse("Throttle: algorithm: expected bucket beside a burst");
    return bucket;
}

Admission admissionOf(const ThrottleOptions& options) {
    const std::int64_t max = checkFinite("Throttle: max", options.max);
    const std::int64_t period = checkFinite("Throttle: period", options.period.milliseconds());
    const std::int64_t burst = options.burst ? checkFinite("Throttle: burst", *options.burst) : max;
    return {algorithmOf(options), max, period, burst};
}

}  // namespace

template <class Lock>
struct BasicThrottle<Lock>::Wait : Waiter {
    struct Place : Link {
        Wait* wait;
    };
    struct Timer : TimerNode {
        Wait* wait;
    };

    Wait(BasicThrottle& throttle, Line& line, Completion completion) noexcept
        : Waiter(line, std::move(completion)), throttle(throttle) {
        place.wait = timer.wait = this;
        timer.fire = [](TimerNode* node) noexcept {
            Wait& leader = *static_cast<Timer*>(node)->wait;
            leader.throttle.tick(leader);
        };
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
        if (queue != nullptr) throttle.leave(*this, false);
    }
    void leave(Step&) noexcept {
        if (queue != nullptr) throttle.leave(*this, true);
    }

    BasicThrottle& throttle;
    ToolQueue* queue = nullptr;
    Place place;
    Timer timer;
};

template <class Lock>
struct BasicThrottle<Lock>::ToolQueue {
    ToolCore* core;
    List<typename Wait::Place> waiting;
    Wait* leader = nullptr;

    /// The tool's thread. Under the lock, which is never held when a timer is armed.
    Wait* chooseLeader() noexcept {
        auto* const first = waiting.front();
        return leader = first != nullptr ? first->wait : nullptr;
    }
};

template <class Lock>
BasicThrottle<Lock>::BasicThrottle(const ThrottleOptions& options)
    : maxQueue_(checkLimit("Throttle: maxQueue", options.maxQueue, 0)),
      admission_(admissionOf(options)),
      name_(options.name) {}

template <class Lock>
std::int64_t BasicThrottle<Lock>::waiting() const {
    home_.checkHere("waiting");
    const std::lock_guard locked(mutex_);
    return waiters_.count();
}

template <class Lock>
void BasicThrottle<Lock>::show(GuardLook& look) {
    if (look.begins(*this, "throttle", name_)) showQueue(look);
}

/// Also of a limiter.
template <class Lock>
void BasicThrottle<Lock>::showQueue(GuardLook& look) {
    const std::lock_guard locked(mutex_);
    look.waiting(waiters_.count());
    look.queue(waiters_);
}

template <class Lock>
bool BasicThrottle<Lock>::isNew(std::int64_t now) noexcept {
    const std::lock_guard locked(mutex_);
    return now != kAnyTime && waiters_.empty() && admission_.isNew(now);
}

template <class Lock>
BasicThrottle<Lock>::~BasicThrottle() = default;

template <class Lock>
bool BasicThrottle<Lock>::admit(Line& line) noexcept {
    try {
        std::int64_t retryAfter = -1;
        if (!home_.takes(line.core())) [[unlikely]]
            return false;
        return attempt(line.core(), nullptr, retryAfter) == Entry::in;
    } catch (...) {
        return false;
    }
}

template <class Lock>
void BasicThrottle<Lock>::wait(Step& lock) {
    if (!enter(lock)) enqueue(lock);
}

/// At once, or it has to wait; raises what forbids that.
template <class Lock>
bool BasicThrottle<Lock>::enter(Step& lock) {
    ToolCore& core = lock.line->core();
    home_.check("sync", core);
    std::int64_t retryAfter = -1;
    const Entry entry = attempt(core, nullptr, retryAfter);
    if (entry == Entry::full) reject(lock, "throttle", name_, retryAfter);
    return entry == Entry::in;
}

template <class Lock>
void BasicThrottle<Lock>::enqueue(Step& lock) {
    ToolCore& core = lock.line->core();
    std::int64_t retryAfter = -1;
    ToolQueue* queue = nullptr;
    const auto begin = [&](Wait& wait) {
        const Entry entry = attempt(core, &wait, retryAfter);
        queue = wait.queue;
        return entry;
    };
    const Entry entry = attemptWaiting<Wait>(lock, begin, *this);
    if (entry == Entry::wait) return lead(*queue, core);
    if (entry == Entry::full) reject(lock, "throttle", name_, retryAfter);
}

/// A `wait` is put into the queue.
template <class Lock>
auto BasicThrottle<Lock>::attempt(ToolCore& core, Wait* wait, std::int64_t& retryAfter) -> Entry {
    const std::int64_t now = core.clockTime();
    const std::lock_guard locked(mutex_);
    if (waiters_.empty() && admission_.admit(now)) return Entry::in;
    if (waiters_.count() >= maxQueue_) {
        retryAfter = admission_.delay(now);
        return Entry::full;
    }
    if (wait != nullptr) {
        ToolQueue& queue = queueOf(core);
        queue.waiting.push(wait->place);
        wait->queue = &queue;
        waiters_.push(*wait);
    }
    return Entry::wait;
}

/// How long till it lets in the next one.
template <class Lock>
std::int64_t BasicThrottle<Lock>::delay(ToolCore& core) {
    const std::int64_t now = core.clockTime();
    const std::lock_guard locked(mutex_);
    return admission_.delay(now);
}

/// One that nobody waits at is as good as a new one.
template <class Lock>
auto BasicThrottle<Lock>::queueOf(ToolCore& core) -> ToolQueue& {
    ToolQueue* vacant = nullptr;
    for (const auto& queue : queues_) {
        const bool empty = queue->waiting.empty() && queue->leader == nullptr;
        if (!empty && queue->core == &core) return *queue;
        if (empty) vacant = queue.get();
    }
    if (vacant == nullptr) {
        queues_.push_back(std::make_unique<ToolQueue>());
        vacant = queues_.back().get();
    }
    vacant->core = &core;
    return *vacant;
}

template <class Lock>
void BasicThrottle<Lock>::remove(Wait& wait) noexcept {
    waiters_.remove(wait);
    List<typename Wait::Place>::unlink(wait.place);
}

/// The tool's thread: sees to it that somebody's timer is armed if somebody waits. The queue may
/// be another tool's by now.
template <class Lock>
void BasicThrottle<Lock>::lead(ToolQueue& queue, ToolCore& core) noexcept {
    Wait* leader = nullptr;
    std::int64_t delay = 0;
    const std::int64_t now = core.clockTime();
    {
        const std::lock_guard locked(mutex_);
        if (queue.core != &core || queue.leader != nullptr) return;
        leader = queue.chooseLeader();
        if (leader == nullptr) return;
        delay = admission_.delay(now);
    }
    core.arm(leader->timer, delay);
}

/// The step of the waiter was cancelled, or has closed.
template <class Lock>
void BasicThrottle<Lock>::leave(Wait& wait, bool abandons) noexcept {
    ToolQueue& queue = *wait.queue;
    Wait* next = nullptr;
    {
        const std::lock_guard locked(mutex_);
        if (wait.state == Waiter::queued) remove(wait);
        if (wait.state == Waiter::granting) dropGrant(wait, abandons);
        if (queue.leader == &wait) next = queue.chooseLeader();
    }
    if (!wait.timer.armed()) return;
    if (next != nullptr) {
        Wheel::replace(wait.timer, next->timer);
    } else {
        wait.line->core().disarm(wait.timer);
    }
}

template <class Lock>
void BasicThrottle<Lock>::tick(Wait& leader) noexcept {
    ToolQueue& queue = *leader.queue;
    ToolCore& core = leader.line->core();
    const std::int64_t now = core.clockTime();
    {
        std::unique_lock locked(mutex_);
        admission_.tick(now);
        while (auto* const wait = static_cast<Wait*>(waiters_.front())) {
            const bool takes = wait->completion.valid();
            if (takes && !admission_.admit(now)) break;
            remove(*wait);
            bool abandoned = false;
            if (takes && !give(*wait, locked, abandoned)) admission_.takeBack(now);
        }
        if (queue.leader == &leader) queue.leader = nullptr;
    }
    lead(queue, core);
}

template class BasicThrottle<NoMutex>;
template class BasicThrottle<std::mutex>;

}  // namespace steptree::detail
