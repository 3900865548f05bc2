#include "steptree/detail/toolcore.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include "task.hpp"
#include "ticks.hpp"

namespace steptree::detail {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kBudget = kMillisecond;
constexpr std::int64_t kBetweenReadings = kBudget / 4;

constexpr std::int64_t saturatedSum(std::int64_t a, std::int64_t b) noexcept {
    return a > ToolCore::kNever - b ? ToolCore::kNever : a + b;
}

/// How many passes this thread is in: a driven tool may run in a callback of another.
#if defined(__GNUC__)
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local unsigned passes = 0;

struct Serving {
    Serving() noexcept { ++passes; }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;
    ~Serving() { --passes; }
};

}  // namespace

ToolCore::ToolCore(Clock* clock, IMemPool* pool)
    : blocks(BlockPool::chosen(pool)),
      bodyLimit_(clock != nullptr ? 1 : std::numeric_limits<std::uint32_t>::max()),
      bodiesLeft_(bodyLimit_),
      clock_(clock),
      epoch_(clock != nullptr ? clock->nanoseconds() : 0),
      ticks_(clock == &Clock::steady() && Ticks::steady()) {
    belongHere();
}

bool ToolCore::serving() noexcept {
    return passes != 0;
}

std::int64_t ToolCore::now() const noexcept {
    return clock_ != nullptr ? (clock_->nanoseconds() - epoch_) / kMillisecond : time_;
}

std::int64_t ToolCore::clockTime() const noexcept {
    return clock_ != nullptr ? clock_->nanoseconds() / kMillisecond : time_;
}

void ToolCore::releaseShared() noexcept {
    if (shared_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void ToolCore::postRemote(RemoteNode& node) noexcept {
    switch (inbox_.post(node)) {
        case Inbox::Posted::first:
            if (!watches_.load(std::memory_order_seq_cst)) wake();
            break;
        case Inbox::Posted::more:
            break;
        case Inbox::Posted::closed:
            node.deliver(*this, &node, false);
            break;
    }
}

void ToolCore::pass() noexcept {
    const Serving serving;
    passOver_ = false;
    if (clock_ != nullptr) startBudget();
    if (!inbox_.empty()) [[unlikely]]
        receive();
    if (!after_.empty()) [[unlikely]]
        runAfter();
    queue_.begin();
    if (stopped()) return;
    inCallback_ = true;
    while (RunNode* const node = queue_.pop()) {
        node->run(node);
        if (attention_) [[unlikely]] {
            ended();
            if (passOver_) break;
            inCallback_ = true;
        }
        if (stopped()) break;
    }
    inCallback_ = false;
}

void ToolCore::fireDue() noexcept {
    if (clock_ != nullptr) {
        readClock();
        tune();
    }
    if (wheel_.idle()) return;
    const Serving serving;
    wheel_.advance(clock_ != nullptr ? time_ / kMillisecond : time_, expired_);
    while (!stopped()) {
        TimerNode* node = expired_.pop();
        if (node == nullptr) break;
        inCallback_ = true;
        node->fire(node);
        ended();
    }
}

std::int64_t ToolCore::untilTimer() noexcept {
    const std::int64_t due = nextDue();
    if (due > kNever / kMillisecond) return kNever;
    readClock();
    return std::max<std::int64_t>(0, due * kMillisecond - time_);
}

void ToolCore::onWake(Function<void()> wake) {
    const std::lock_guard lock(hooks_);
    std::swap(wake_, wake);
    wakes_.store(static_cast<bool>(wake_), std::memory_order_release);
}

void ToolCore::onError(Function<void(std::exception_ptr)> hook) {
    auto shared = std::make_shared<ErrorHook>(std::move(hook));
    const std::lock_guard lock(hooks_);
    std::swap(onError_, shared);
}

void ToolCore::failed(std::exception_ptr error) noexcept {
    std::shared_ptr<ErrorHook> hook;
    {
        const std::lock_guard lock(hooks_);
        hook = onError_;
    }
    if (hook != nullptr && *hook) {
        (*hook)(std::move(error));
        return;
    }
    try {
        std::rethrow_exception(std::move(error));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "steptree: exception out of a tool callback: %s\n", e.what());
    } catch (...) {
        std::fputs("steptree: exception of unknown type out of a tool callback\n", stderr);
    }
    std::terminate();
}

void ToolCore::close() noexcept {
    if (closed_) return;
    closed_ = true;
    shared_.fetch_add(references_ + 1 - kAlive, std::memory_order_relaxed);
    if (flows_ > 0) retain();
    asleep_ = false;
    stop();
    belongTo(thisThread());
    onWake({});
    slots_.close();
    for (RemoteNode* node = inbox_.close(); node != nullptr;) {
        RemoteNode* next = node->next;
        node->deliver(*this, node, false);
        node = next;
    }
    List<RunNode> runs;
    queue_.drain(runs);
    runs.append(after_);
    while (RunNode* node = runs.pop()) {
        if (!Task::dropIfTask(*node)) engine.dropped(*node);
    }
    List<TimerNode> timers;
    timers.append(expired_);
    wheel_.drain(timers);
    timers.append(fresh_);
    timers.append(never_);
    while (TimerNode* node = timers.pop()) Task::dropIfTask(*node);
}

void ToolCore::runAfter() noexcept {
    inCallback_ = true;
    while (RunNode* node = after_.pop()) node->run(node);
    inCallback_ = false;
    if (!fresh_.empty()) place();
}

/// Timers that are armed one after the other share a reading of the clock. They count from the
/// latest that it can be, so that their order stays.
ToolCore::Moment ToolCore::moment() noexcept {
    Moment from{time_, time_};
    if (clock_ != nullptr) {
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
    if (node.due == kNever) {
        never_.push(node);
    } else {
        wheel_.add(node);
    }
}

void ToolCore::place() noexcept {
    const Moment from = moment();
    while (TimerNode* node = fresh_.pop()) put(*node, from);
    if (asleep_) stir();
}

void ToolCore::placeNow(TimerNode& node) noexcept {
    put(node, moment());
    if (asleep_) stir();
}

void ToolCore::receive() noexcept {
    inCallback_ = true;
    for (RemoteNode* node = inbox_.take(); node != nullptr;) {
        RemoteNode* next = node->next;
        node->deliver(*this, node, !closed_);
        node = next;
    }
    ended();
}

void ToolCore::wake() noexcept {
    if (!wakes_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(hooks_);
    if (wake_) wake_();
}

bool ToolCore::overBudget() noexcept {
    if (clock_ == nullptr || closed_) return false;
    readClock();
    tune();
    if (!timed_) {
        timed_ = true;
        passStart_ = time_;
    }
    passOver_ = time_ - passStart_ >= kBudget;
    attention_ = true;
    return passOver_;
}

/// Reads the clock four times a budget, as the last bodies went; at least once in 256 bodies. After
/// a pause bodies may seem slow, which the next passes put right.
void ToolCore::tune() noexcept {
    const std::int64_t elapsed = time_ - std::exchange(tuned_, time_);
    const std::uint32_t bodies = this->bodies();
    if (bodies == 0) return;
    const std::int64_t each = elapsed / bodies + 1;
    const auto fitting = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(kBetweenReadings / each, 1, kMostBodies));
    bodyLimit_ = std::min(fitting, bodyLimit_ * 2);
    forgetBodies();
}

}  // namespace steptree::detail
