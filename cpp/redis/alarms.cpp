#include "alarms.hpp"

#include <algorithm>
#include <utility>

namespace steptree::detail::redis {

void Alarms::at(Clock::time_point time, const std::shared_ptr<Alarm>& alarm) {
    const std::lock_guard locked(mutex_);
    if (alarm->isKept_) {
        auto entry = taken(*alarm);
        entry.key() = time;
        keep(std::move(entry));
    } else {
        alarm->place_ = entries_.emplace(time, alarm);
        alarm->isKept_ = true;
    }
}

void Alarms::drop(Alarm& alarm) noexcept {
    Entries::node_type gone;  // destroyed with the lock open
    const std::lock_guard locked(mutex_);
    if (alarm.isKept_) gone = taken(alarm);
}

Alarms::Clock::time_point Alarms::next() noexcept {
    const std::lock_guard locked(mutex_);
    return entries_.empty() ? Clock::time_point::max() : entries_.begin()->first;
}

/// What is called may ask for more times, so the lock is open then.
void Alarms::serve(Clock::time_point now) noexcept {
    for (;;) {
        Entries::node_type entry;
        {
            const std::lock_guard locked(mutex_);
            if (entries_.empty() || entries_.begin()->first > now) return;
            entry = taken(*entries_.begin()->second);
        }
        const auto again = entry.mapped()->due(now);
        if (again == Clock::time_point::max()) continue;
        const std::lock_guard locked(mutex_);
        if (entry.mapped()->isKept_) continue;  // it has asked for another time itself
        entry.key() = std::max(again, now + std::chrono::milliseconds(1));
        keep(std::move(entry));
    }
}

Alarms::Entries::node_type Alarms::taken(Alarm& alarm) noexcept {
    alarm.isKept_ = false;
    return entries_.extract(alarm.place_);
}

void Alarms::keep(Entries::node_type entry) noexcept {
    Alarm& alarm = *entry.mapped();
    alarm.place_ = entries_.insert(std::move(entry));
    alarm.isKept_ = true;
}

}  // namespace steptree::detail::redis
