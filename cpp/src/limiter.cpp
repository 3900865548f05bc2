#include "steptree/limiter.hpp"

#include "guardlook.hpp"
#include "misuse.hpp"
#include "waiters.hpp"

namespace steptree::detail {

namespace {

/// Of what stands for the place, and of two steps that capture next to nothing.
constexpr std::size_t kRoom = sizeof(WaitExtra) + 2 * sizeof(Step) + 14 * sizeof(void*);

}  // namespace

template <class Lock>
BasicLimiter<Lock>::BasicLimiter(const LimiterOptions& options)
    : maxQueue_(checkLimit("Limiter: maxQueue", options.maxQueue, 0)), name_(options.name) {
    const bool places = checkLimit("Limiter: concurrent", options.concurrent, 1) != kUnlimited;
    const bool rate = checkLimit("Limiter: rate", options.rate, 1) != kUnlimited;
    if (!places && !rate && maxQueue_ != kUnlimited)
        misuse("Limiter: maxQueue: expected concurrent or rate beside it");
    const Period period = options.period.value_or(1000);
    checkFinite("Limiter: period", period.milliseconds());
    if (options.period && !rate) misuse("Limiter: period: expected a rate beside it");
    if (options.burst && !rate) misuse("Limiter: burst: expected a rate beside it");
    if (options.burst) checkFinite("Limiter: burst", *options.burst);
    if (places) {
        mutex_.emplace(
            MutexOptions{.max = options.concurrent, .abandoned = options.abandoned, .name = name_});
        mutex_->home_.isPartOf("Limiter");
    }
    if (rate) {
        throttle_.emplace(
            ThrottleOptions{.max = options.rate, .period = period, .burst = options.burst});
        throttle_->home_.isPartOf("Limiter");
    }
}

template <class Lock>
std::int64_t BasicLimiter<Lock>::waiting() const {
    if (mutex_) {
        mutex_->waiting();  // on its thread
    } else if (throttle_) {
        throttle_->waiting();  // the same
    }
    return waiting_;
}

template <class Lock>
void BasicLimiter<Lock>::show(GuardLook& look) {
    if (!look.begins(*this, "limiter", name_)) return;
    look.places(0, kUnlimited);
    if (mutex_) mutex_->showPlaces(look);
    if (throttle_) throttle_->showQueue(look);
    look.waiting(waiting_);
}

template <class Lock>
bool BasicLimiter<Lock>::isNew(std::int64_t now) noexcept {
    return waiting_ == 0 && (!mutex_ || mutex_->isNew()) && (!throttle_ || throttle_->isNew(now));
}

/// Of a lock that is neither refused nor let in yet: it counts till its step closes.
template <class Lock>
struct BasicLimiter<Lock>::Place {
    Place(BasicLimiter& limiter, bool taken) noexcept : limiter(limiter), taken(taken) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { --limiter.waiting_; }

    BasicLimiter& limiter;
    const bool taken;

    void leave(Step& step) noexcept {
        auto& mutex = limiter.mutex_;
        if (mutex && (taken || mutex->has(*step.line))) mutex->leave(*step.line);
    }
};

/// A throttle that refuses leaves no place held.
template <class Lock>
bool BasicLimiter<Lock>::admit(Line& line) noexcept {
    if (mutex_ && !mutex_->admit(line)) return false;
    if (!throttle_ || throttle_->admit(line)) return true;
    if (mutex_) mutex_->leave(line);
    return false;
}

template <class Lock>
void BasicLimiter<Lock>::count(Step& lock, bool taken) {
    if (++waiting_ <= maxQueue_) return;
    --waiting_;
    reject(lock, "limiter", name_, taken ? throttle_->delay(lock.line->core()) : -1);
}

/// In steps of its own. The place is given back if they don't come to their end.
template <class Lock>
void BasicLimiter<Lock>::wait(Step& lock) {
    Line& line = *lock.line;
    const bool taken = !mutex_ || mutex_->enter(lock, 1, "limiter");
    try {
        if (taken && (!throttle_ || throttle_->enter(lock))) return;
        count(lock, taken);
        try {
            line.arena.reserve(line, kRoom);  // from here on nothing fails
        } catch (...) {
            --waiting_;
            throw;
        }
    } catch (...) {
        if (taken && mutex_) mutex_->leave(line);
        throw;
    }
    newWait<Place>(lock, *this, taken);
    if (!taken) lock.add([this](IAsyncSteps& inner) { mutex_->wait(stepOf(inner)); });
    if (throttle_) lock.add([this](IAsyncSteps& inner) { throttle_->wait(stepOf(inner)); });
}

template class BasicLimiter<NoMutex>;
template class BasicLimiter<std::mutex>;

}  // namespace steptree::detail
