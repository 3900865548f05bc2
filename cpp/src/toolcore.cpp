#include "steptree/detail/toolcore.hpp"

#include <random>
#include <utility>

#include "abandoned.hpp"
#include "fast.hpp"
#include "pass.hpp"
#include "ticks.hpp"
#include "tooltask.hpp"

namespace steptree::detail {

ToolCore::ToolCore(Clock* clock, IMemPool* pool)
    : blocks(BlockPool::chosen(pool)),
      flowsKept(!blocks.isReplaced()),
      budget_(1),
      clock_(clock),
      epoch_(clock != nullptr ? clock->nanoseconds() : 0),
      ticks_(kTicks && clock == &Clock::steady() && Ticks::steady()) {
    join();
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
    if (observed_) become(Mode::runsObserved);
    deliverAll(inbox_.take());
    ended();
}

/// A callback has: what was put off until then.
void ToolCore::ended() noexcept {
    attention_ = passOver_ || observed_;
    while (RunNode* node = after_.pop()) node->run(node);
    placeFresh();
}

/// Whether the pass does, after a callback that wants attention.
bool ToolCore::goesOn() noexcept {
    ended();
    if (!passOver_) [[likely]]
        return true;
    passOver_ = clock_ == nullptr;
    attention_ = passOver_ || observed_;
    return passOver_ && !isLate();
}

/// The tool's own reference is the last thing that a pass gives back in which the tool has gone.
bool ToolCore::gone() noexcept {
    become(idle_);
    if (observed_) [[unlikely]]
        engine.passed();
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

bool ToolCore::ring() noexcept {
    become(runs());
    engine.ring();
    ended();
    return !gone();
}

/// Whether one was due: then time has passed.
bool ToolCore::fireDue() noexcept {
    if (clock_ != nullptr) {
        readClock();
        tune();
    }
    looked_ = time_;
    if (wheel_.idle()) return false;
    become(runs());
    wheel_.advance(clock_ != nullptr ? time_ / kMillisecond : time_, expired_);
    const bool fires = !expired_.empty();
    while (!stopped()) {
        TimerNode* node = expired_.pop();
        if (node == nullptr) break;
        node->fire(node);
        ended();
    }
    passOver_ = clock_ == nullptr && time_ > looked_;
    attention_ |= passOver_;
    return fires;
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
    const bool fired = alive() && fireDue();  // else the clock may be gone, too
    if (gone()) return kNever;
    timed_ = false;
    clocked_ = !wheel_.idle() || observed_;
    become(awake());
    if (ready()) return 0;
    sleeps();
    return untilTimer(fired);
}

void ToolCore::leave() noexcept {
    close();
    if (!inCallback()) releaseShared();
}

void ToolCore::onWake(Function<void()> wake) {
    idle_ = hooks_.onWake(std::move(wake)) ? Mode::asleep : awake();
}

void ToolCore::observed(bool isNow) noexcept {
    observed_ = isNow;
    if (idle_ != Mode::asleep) idle_ = awake();
    if (mode_ != Mode::asleep) become(inCallback() ? runs() : awake());
    attention_ |= isNow;
    clocked_ |= isNow;
    if (!isNow) return;
    for (RunNode* node = queue_.front(); node != nullptr; node = queue_.after(*node))
        engine.queued(*node);
}

void ToolCore::close() noexcept {
    if (closed_) return;
    stop();
    belongTo(thisThread());
    onWake({});
    engine.destroyOwned();
    endLife();
    shared_.fetch_add(references_ + 1 - kAlive, std::memory_order_relaxed);
    flowsKept.close();
    releaseFlows();
    if (flows_ > 0) retain();
    clocked_ = true;
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
    engine.dropObservers();
}

}  // namespace steptree::detail
