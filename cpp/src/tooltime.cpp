#include <algorithm>

#include "steptree/detail/toolcore.hpp"
#include "ticks.hpp"

/// What a tool knows of time: when armed timers are due, and whether its pass has used up its own.
namespace steptree::detail {

namespace {

constexpr std::int64_t kBudget = 1'000'000;  // ns
constexpr std::int64_t kBetweenReadings = kBudget / 4;
constexpr std::int64_t kSlow = kBudget / 2;
/// More than run in a budget while the clock goes.
constexpr std::uint32_t kMostReadings = (1U << 17) / BodyBudget::kMost;

constexpr std::int64_t saturatedSum(std::int64_t a, std::int64_t b) noexcept {
    return a > ToolCore::kNever - b ? ToolCore::kNever : a + b;
}

}  // namespace

std::int64_t ToolCore::now() const noexcept {
    return clock_ != nullptr ? (clock_->nanoseconds() - epoch_) / kMillisecond : time_;
}

std::int64_t ToolCore::clockTime() const noexcept {
    return clock_ != nullptr ? clock_->nanoseconds() / kMillisecond : time_;
}

/// `late`: the clock's last reading is.
std::int64_t ToolCore::untilTimer(bool late) noexcept {
    const std::int64_t due = nextDue();
    if (due == kNever) return kNever;
    if (due > kNever / kMillisecond) return kFar;
    if (late) readClock();
    return std::max<std::int64_t>(0, due * kMillisecond - time_);
}

/// The millisecond in which that latest moment ends which a reading of the clock may stand for.
std::int64_t ToolCore::ceilingOf(std::int64_t ns) const noexcept {
    const std::int64_t latest = ns + (ticks_ ? Ticks::kMostNanoseconds : 0);
    return (latest + kMillisecond - 1) / kMillisecond;
}

std::int64_t ToolCore::timeForTimers() noexcept {
    placeFresh();
    const bool reads = clock_ != nullptr && !closed_;  // else the clock may be gone
    return reads ? ceilingOf(clock_->nanoseconds() - epoch_) : time_;
}

/// Timers that are armed one after the other share a reading of the clock. They count from the
/// latest that it can be, so that their order stays.
Moment ToolCore::moment() noexcept {
    Moment from{time_, time_};
    if (clock_ != nullptr && !closed_) {  // else the clock may be gone
        const std::uint64_t ticks = ticks_ ? Ticks::now() : 0;
        if (!ticks_ || ticks - placedAt_ >= Ticks::kFew) {
            placedAt_ = ticks;
            readClock();
        }
        from.floor = time_ / kMillisecond;
        from.ceiling = ceilingOf(time_);
    }
    if (wheel_.idle()) wheel_.advance(from.floor, expired_);
    return from;
}

inline void ToolCore::put(TimerNode& node, const Moment& from) noexcept {
    node.due = node.due == 0 ? from.floor : saturatedSum(from.ceiling, node.due);
    if (node.due == kNever || closed_) {
        node.due = kNever;
        never_.push(node);
    } else {
        wheel_.add(node);
    }
}

void ToolCore::place() noexcept {
    const Moment from = moment();
    while (TimerNode* node = fresh_.pop()) {
        node->due = ~node->due;
        put(*node, from);
    }
    placed();
}

std::size_t ToolCore::armedTimers() const noexcept {
    std::size_t count = wheel_.count() + expired_.count();
    for (const TimerNode* node = fresh_.front(); node != nullptr; node = fresh_.after(*node)) {
        if (node->due != ~kNever) ++count;
    }
    return count;
}

void ToolCore::placeNow(TimerNode& node, std::int64_t delayMs) noexcept {
    node.due = delayMs;
    put(node, moment());
    placed();
}

inline void ToolCore::placed() noexcept {
    clocked_ = true;
    if (stirs()) stir();
}

void ToolCore::stir() noexcept {
    if (mode_ == Mode::asleep) {
        become(awake());
        hooks_.wake();
    }
    if (observed_ && !queue_.empty()) engine.queued(*queue_.back());
}

/// While bodies are quick the clock isn't read before the first 256 of a pass have run.
void ToolCore::startBudget() noexcept {
    timed_ = clocked_ = true;
    readClock();
    readings_ = 0;
    passStart_ = tuned_ = time_;
}

bool ToolCore::overBudget() noexcept {
    if (closed_) return false;
    if (clock_ == nullptr) {
        bodies_ += budget_.spent();
        budget_.refill();
        return isLate();
    }
    placeFresh();
    readClock();
    tune();
    if (!timed_) {
        timed_ = clocked_ = true;
        readings_ = 0;
        passStart_ = time_;
    }
    passOver_ = time_ - passStart_ >= kBudget || ++readings_ >= kMostReadings || isDue();
    attention_ = true;
    return passOver_;
}

bool ToolCore::isLate() noexcept {
    if (wheel_.idle() || closed_) return false;
    if (clock_ != nullptr) {
        readClock();
        if (time_ - tuned_ < kSlow) return false;
    }
    return isDue();
}

/// What the pass begins with may have come late.
bool ToolCore::isOverdue() noexcept {
    if (wheel_.idle() || closed_) return false;
    readClock();
    return isDue();
}

bool ToolCore::isDue() noexcept {
    if (wheel_.idle() || time_ <= looked_) return false;
    return wheel_.due(clock_ != nullptr ? time_ / kMillisecond : time_) != nullptr;
}

void ToolCore::elapse(std::int64_t ms) noexcept {
    time_ = std::min(saturatedSum(time_, ms), kNever - 1);
    passOver_ = attention_ = true;
}

/// Reads the clock four times a budget. What has passed since the pass began was no pause.
void ToolCore::tune() noexcept {
    const std::int64_t elapsed = time_ - std::exchange(tuned_, time_);
    budget_.tune(elapsed, kBetweenReadings, timed_ && elapsed >= kSlow);
}

}  // namespace steptree::detail
