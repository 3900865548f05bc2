#include "steptree/detail/toolcore.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <utility>

#include "abandoned.hpp"
#include "fast.hpp"
#include "pass.hpp"
#include "ticks.hpp"
#include "tooltask.hpp"

namespace steptree::detail {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kBudget = kMillisecond;
constexpr std::int64_t kBetweenReadings = kBudget / 4;
constexpr std::int64_t kSlow = kBudget / 2;
/// More than run in a budget while the clock goes.
constexpr std::uint32_t kMostReadings = (1U << 17) / BodyBudget::kMost;

constexpr std::int64_t saturatedSum(std::int64_t a, std::int64_t b) noexcept {
    return a > ToolCore::kNever - b ? ToolCore::kNever : a + b;
}

}  // namespace

ToolCore::ToolCore(Clock* clock, IMemPool* pool)
    : blocks(BlockPool::chosen(pool)),
      flowsKept(!blocks.isReplaced()),
      budget_(1),
      clock_(clock),
      epoch_(clock != nullptr ? clock->nanoseconds() : 0),
      ticks_(kTicks && clock == &Clock::steady() && Ticks::steady()) {
    join();
}

std::int64_t ToolCore::now() const noexcept {
    return clock_ != nullptr ? (clock_->nanoseconds() - epoch_) / kMillisecond : time_;
}

std::int64_t ToolCore::clockTime() const noexcept {
    return clock_ != nullptr ? clock_->nanoseconds() / kMillisecond : time_;
}

std::uint32_t ToolCore::anySeed() noexcept {
    try {
        return std::random_device{}();
    } catch (...) {
        return static_cast<std::uint32_t>(Clock::steady().nanoseconds());
    }
}

void ToolCore::releaseShared() noexcept {
    if (shared_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void ToolCore::releaseFlows() noexcept {
    for (; Link* const flow = flowsKept.take(); --flows_) blocks.give(flow, BlockPool::kFlow);
}

void ToolCore::post(Posted posted) noexcept {
    switch (inbox_.post(posted)) {
        case Inbox::Outcome::first:
            if (!watches_.load(std::memory_order_seq_cst)) hooks_.wake();
            break;
        case Inbox::Outcome::more:
            break;
        case Inbox::Outcome::closed:
            deliver(posted, false);
            break;
    }
}

inline void ToolCore::deliver(Posted posted, bool alive) noexcept {
    if (posted.isSlot()) {
        engine.arrived(static_cast<Slot&>(posted.link()), alive);
    } else {
        RemoteNode& node = posted.node();
        node.deliver(*this, &node, alive);
    }
}

void ToolCore::deliverAll(Posted first) noexcept {
    for (Posted posted = first; posted;) {
        const Posted next = posted.next();
        deliver(posted, !closed_);
        posted = next;
    }
}

/// What came between two passes.
void ToolCore::begin() noexcept {
    deliverAll(inbox_.take());
    ended();
}

/// A callback has: what was put off until then.
void ToolCore::ended() noexcept {
    attention_ = passOver_;
    while (RunNode* node = after_.pop()) node->run(node);
    placeFresh();
}

/// Whether the pass does, after a callback that wants attention.
bool ToolCore::goesOn() noexcept {
    ended();
    if (!passOver_) [[likely]]
        return true;
    passOver_ = attention_ = clock_ == nullptr;
    return passOver_ && !isLate();
}

/// The tool's own reference is the last thing that a pass gives back in which the tool has gone.
bool ToolCore::gone() noexcept {
    become(idle_);
    if (!closed_) return false;
    releaseShared();
    return true;
}

/// Of an open pass.
void ToolCore::runRest() noexcept {
    while (!stopped() && call(queue_.next()) && queue_.open()) continue;
}

bool ToolCore::pass() noexcept {
    runPass();
    return !gone();
}

bool ToolCore::timers() noexcept {
    if (!wheel_.idle()) fireDue();
    return !gone();
}

void ToolCore::fireDue() noexcept {
    if (clock_ != nullptr) {
        readClock();
        tune();
    }
    looked_ = time_;
    if (wheel_.idle()) return;
    become(Mode::runs);
    wheel_.advance(clock_ != nullptr ? time_ / kMillisecond : time_, expired_);
    while (!stopped()) {
        TimerNode* node = expired_.pop();
        if (node == nullptr) break;
        node->fire(node);
        ended();
    }
    passOver_ = clock_ == nullptr && time_ > looked_;
    attention_ |= passOver_;
}

/// What other threads have completed meanwhile has come first. False: the tool has gone.
bool ToolCore::startsLate() noexcept {
    become(Mode::runs);
    begin();
    if (alive()) fireDue();
    return !gone();
}

/// Of one that has timers, or whose bodies have to be timed.
std::int64_t ToolCore::endRound() noexcept {
    if (alive()) fireDue();  // else the clock may be gone, too
    if (gone()) return kNever;
    timed_ = false;
    clocked_ = !wheel_.idle();
    become(Mode::awake);
    if (ready()) return 0;
    sleeps();
    return nextDue() == kNever ? kNever : untilTimer();
}

std::int64_t ToolCore::untilTimer() noexcept {
    const std::int64_t due = nextDue();
    if (due > kNever / kMillisecond) return kFar;
    readClock();
    return std::max<std::int64_t>(0, due * kMillisecond - time_);
}

void ToolCore::leave() noexcept {
    close();
    if (!inCallback()) releaseShared();
}

void ToolCore::onWake(Function<void()> wake) {
    idle_ = hooks_.onWake(std::move(wake)) ? Mode::asleep : Mode::awake;
}

void ToolCore::close() noexcept {
    if (closed_) return;
    endLife();
    shared_.fetch_add(references_ + 1 - kAlive, std::memory_order_relaxed);
    flowsKept.close();
    releaseFlows();
    if (flows_ > 0) retain();
    clocked_ = true;
    stop();
    belongTo(thisThread());
    onWake({});
    dropAbandoned(engine);
    slots.close();
    deliverAll(inbox_.close());
    List<RunNode> runs;
    queue_.drain(runs);
    runs.append(after_);
    while (RunNode* node = runs.pop()) {
        if (!ToolTask::dropIfTask(*node)) engine.dropped(*node);
    }
    List<TimerNode> timers;
    timers.append(expired_);
    wheel_.drain(timers);
    timers.append(fresh_);
    timers.append(never_);
    while (TimerNode* node = timers.pop()) ToolTask::dropIfTask(*node);
    engine.dropEnds();
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
        const std::int64_t latest = time_ + (ticks_ ? Ticks::kMostNanoseconds : 0);
        from.ceiling = (latest + kMillisecond - 1) / kMillisecond;
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
    if (mode_ == Mode::asleep) stir();
}

void ToolCore::stir() noexcept {
    become(Mode::awake);
    hooks_.wake();
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
