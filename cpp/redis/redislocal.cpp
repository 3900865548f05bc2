#include "redislocal.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace steptree::detail::redis {

namespace {

std::int64_t msOf(Timer::Time time) noexcept {
    using std::chrono::milliseconds;
    return std::chrono::floor<milliseconds>(time).time_since_epoch().count();
}

}  // namespace

LocalShare::LocalShare(Share share, std::function<void(Sharer&)> letIn)
    : share_(std::move(share)),
      letIn_(std::move(letIn)),
      timer_([](void* of) noexcept { static_cast<LocalShare*>(of)->tick(); }, this) {}

void LocalShare::enter(Sharer& one, std::int64_t places, Timers& timers) {
    if (one.state != Sharer::State::none) return;
    timers_ = &timers;
    one.at = waits_.insert(waits_.end(), &one);
    one.state = Sharer::State::waits;
    one.taken = std::min(places, share_.max);
    serve();
}

void LocalShare::leave(Sharer& one) noexcept {
    const auto before = std::exchange(one.state, Sharer::State::none);
    if (before == Sharer::State::none) return;
    if (before == Sharer::State::waits) waits_.erase(one.at);
    if (before == Sharer::State::in) used_ -= one.taken;
    serve();
}

void LocalShare::serve() noexcept {
    timer_.stop();
    while (!waits_.empty()) {
        Sharer& one = *waits_.front();
        if (one.taken > 0 && used_ + one.taken > share_.max) return;
        const std::int64_t now = timers_ == nullptr ? 0 : msOf(timers_->now());
        if (!admits(now)) {
            const std::int64_t ms = std::max<std::int64_t>(1, share_.rate->delay(now));
            return timer_.start(*timers_, timers_->now() + std::chrono::milliseconds(ms));
        }
        waits_.pop_front();
        used_ += one.taken;
        one.state = one.taken > 0 ? Sharer::State::in : Sharer::State::none;
        letIn_(one);
    }
}

/// Short of memory none enters.
bool LocalShare::admits(std::int64_t now) noexcept {
    try {
        return !share_.rate || share_.rate->admit(now);
    } catch (...) {
        return false;
    }
}

void LocalShare::tick() noexcept {
    share_.rate->tick(msOf(timers_->now()));
    serve();
}

}  // namespace steptree::detail::redis
