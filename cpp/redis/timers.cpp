#include "timers.hpp"

#include <utility>

namespace steptree::detail::redis {

Timer::Timer(void (*fire)(void* of) noexcept, void* of) : fire_(fire), of_(of) {
    Queue made;
    made.emplace(Time{}, Entry{this, {}});
    node_ = made.extract(made.begin());
}

void Timer::start(Timers& timers, Time due, std::shared_ptr<void> keep) noexcept {
    const auto before = timers_ != nullptr ? std::move(at_->second.keep) : nullptr;
    stop();
    node_.key() = due;
    node_.mapped().keep = std::move(keep);
    timers_ = &timers;
    at_ = timers.queue_.insert(std::move(node_));
}

void Timer::stop() noexcept {
    if (timers_ == nullptr) return;
    node_ = std::exchange(timers_, nullptr)->queue_.extract(at_);
    const auto keep = std::move(node_.mapped().keep);  // it may have been the last one
}

/// What armed timers keep goes.
Timers::~Timers() {
    while (!queue_.empty()) {
        const auto keep = std::move(queue_.begin()->second.keep);
        queue_.begin()->second.timer->stop();
    }
}

Timers::Time Timers::now() const noexcept {
    if (!standsStill()) [[likely]]
        return std::chrono::steady_clock::now();
    return Time(std::chrono::milliseconds(still_));
}

Timers::Time Timers::next() const noexcept {
    return queue_.empty() ? Time::max() : queue_.begin()->first;
}

void Timers::fire() noexcept {
    const Time now = this->now();
    while (next() <= now) {
        const Timer::Entry& first = queue_.begin()->second;
        Timer& timer = *first.timer;
        const auto keep = first.keep;
        timer.stop();
        timer.fire_(timer.of_);
    }
}

}  // namespace steptree::detail::redis
