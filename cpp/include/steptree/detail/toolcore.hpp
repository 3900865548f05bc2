#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "steptree/clock.hpp"
#include "steptree/detail/blockpool.hpp"
#include "steptree/detail/engineshare.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/inbox.hpp"
#include "steptree/detail/runqueue.hpp"
#include "steptree/detail/slots.hpp"
#include "steptree/detail/wheel.hpp"

namespace steptree::detail {

/// What a tool is to the engine: run queue, timers, inbox, completion slots. A driver (AsyncTool,
/// VirtualTool) decides when passes run. Counted: lives as long as the tool, a flow, a completion
/// or a handle refers to it.
///
/// Everything belongs to the tool's thread, except what says "any thread".
class ToolCore {
  public:
    using ErrorHook = Function<void(std::exception_ptr)>;
    static constexpr std::int64_t kNever = Wheel::kNever;

    /// Time stands still, and is set by moveTo(), if `clock` is null. Starts with one reference.
    explicit ToolCore(Clock* clock);
    ToolCore(const ToolCore&) = delete;
    ToolCore& operator=(const ToolCore&) = delete;

    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }  // any thread
    void release() noexcept;                                                         // any thread

    /// A flow of the tool's own thread refers to the core without atomic counting: the tool does it
    /// for all of them while it lives, close() leaves one reference to those that remain.
    void flowBorn() noexcept {
        if (flows_++ == 0 && closed_) retain();
    }
    void flowGone() noexcept {
        if (--flows_ == 0 && closed_) release();
    }
    std::size_t flows() const noexcept { return flows_; }

    // ---- for the engine

    BlockPool blocks;
    EngineShare engine{*this};

    /// To the tail. No-op if queued.
    void enqueue(RunNode& node) noexcept {
        if (node.queued()) return;
        queue_.push(node);
        if (asleep_) stir();
    }
    void remove(RunNode& node) noexcept {
        if (node.queued()) RunQueue::remove(node);
    }

    /// Runs the node right after the current callback, in order of these calls, those of such nodes
    /// included; outside of a callback before the next one. remove() takes it back.
    void afterCallback(RunNode& node) noexcept {
        if (node.queued()) return;
        after_.push(node);
        if (asleep_) stir();
    }

    /// Fires in the first timer pass that begins at least `delayMs` later; arming again starts
    /// anew. The clock is read once a callback, at its end: a timer never fires early, and one that
    /// is disarmed in between costs no reading.
    void arm(TimerNode& node, std::int64_t delayMs) noexcept {
        if (node.armed()) Wheel::remove(node);
        node.due = delayMs;
        fresh_.push(node);
        if (!inCallback_) place();
    }
    void disarm(TimerNode& node) noexcept {
        if (node.armed()) Wheel::remove(node);
    }

    /// Whole milliseconds since the tool was made. With a clock: any thread.
    std::int64_t now() const noexcept;

    /// Counts a body or a user's immediate; true = end the turn, the tool's time budget is used up.
    bool bodyRan() noexcept { return ++bodies_ >= bodyLimit_ && overBudget(); }

    bool inCallback() const noexcept { return inCallback_; }

    /// Whether this thread is within a pass of some tool: then it must not wait for another.
    static bool serving() noexcept;

    /// Any thread.
    bool onOwnThread() const noexcept {
        return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }

    /// Any thread. Delivered in the next pass; never waits. If the tool is gone it is delivered
    /// here, with alive = false.
    void postRemote(RemoteNode& node) noexcept;

    /// See slots.hpp. After the tool is gone: a slot that nobody can take.
    Slot* acquireSlot(void* owner) { return slots_.acquire(owner); }
    [[nodiscard]] Away* releaseSlot(Slot* slot) noexcept { return slots_.release(slot); }
    void* slotArrived(Slot* slot) noexcept { return slots_.arrived(slot); }

    /// Hands an exception that left a callback to the tool's error hook. Any thread.
    void failed(std::exception_ptr error) noexcept;

    /// False from the moment in which the tool begins to go.
    bool alive() const noexcept { return !closed_; }

    // ---- for drivers

    /// Runs one pass: inbox, then the snapshot of the queue, until it is empty or the budget is
    /// used up.
    void pass() noexcept;

    /// Fires what is due; a timer that is armed meanwhile belongs to the next timer pass.
    void timers() noexcept;

    /// Whether a pass would find something to do.
    bool ready() const noexcept { return !queue_.empty() || !after_.empty() || !inbox_.empty(); }

    /// When timers() has something to do, in nanoseconds of the clock from now; kNever without
    /// timers.
    std::int64_t untilTimer() noexcept;

    /// The same as a time of now(), for a tool without clock.
    std::int64_t nextDue() noexcept { return wheel_.idle() ? kNever : wheel_.next(); }

    /// Time for a tool without clock; never back.
    void moveTo(std::int64_t now) noexcept { time_ = now; }

    /// Bodies and user immediates so far, for a tool without clock.
    std::uint32_t bodies() const noexcept { return bodies_; }
    void forgetBodies() noexcept { bodies_ = 0; }

    /// Whose thread the tool is.
    void adopt() noexcept {
        if (!onOwnThread() || ownerLife_ == nullptr || !*ownerLife_) belongHere();
    }
    void belongTo(std::thread::id owner) noexcept;

    /// Any thread. True: the tool's thread had ended, the tool is this one's now.
    bool inherited() noexcept;

    /// Any thread may call `wake`, after it has scheduled something for a tool that sleeps; once a
    /// sleep. It must only signal.
    void onWake(Function<void()> wake);
    void onError(ErrorHook hook);

    /// The driver waits from now on: the next thing that is scheduled outside of a callback calls
    /// `wake`.
    void sleeps() noexcept { asleep_ = true; }
    void awake() noexcept { asleep_ = false; }

    /// Any thread: no further callback begins, close() will follow.
    void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

    /// Drops all that is pending, unrun; every completion becomes stale. Idempotent.
    void close() noexcept;

  private:
    ~ToolCore() = default;

    void belongHere() noexcept;
    void ended() noexcept;
    void place() noexcept;
    void receive() noexcept;
    void stir() noexcept;
    void wake() noexcept;
    bool overBudget() noexcept;
    void startBudget() noexcept;
    void tune() noexcept;
    void readClock() noexcept;

    RunQueue queue_;
    List<RunNode> after_;
    List<TimerNode> fresh_;  // armed in the current callback, `due` is still the delay
    bool inCallback_ = false;
    bool asleep_ = false;
    bool closed_ = false;
    std::size_t flows_ = 0;
    bool passOver_ = false;
    bool timed_ = false;  // passStart_ is that of this pass
    std::atomic<bool> stopped_{false};
    std::uint32_t bodies_ = 0;
    std::uint32_t bodyLimit_;
    Inbox inbox_;
    Slots slots_;
    std::atomic<std::uint32_t> references_{1};
    std::atomic<std::thread::id> owner_;

    Clock* const clock_;
    const std::int64_t epoch_;  // ns
    std::int64_t time_ = 0;     // last reading: ns since epoch_; without clock: ms
    std::int64_t passStart_ = 0;
    std::int64_t tuned_ = 0;

    List<TimerNode> expired_;
    Wheel wheel_;
    List<TimerNode> never_;  // armed for ever

    std::mutex hooks_;  // never held while a callback of the tool runs
    std::shared_ptr<const std::atomic<bool>> ownerLife_;  // null: lives as long as the tool
    Function<void()> wake_;
    std::shared_ptr<ErrorHook> onError_;
};

/// Owns one reference.
class CoreRef {
  public:
    CoreRef() noexcept = default;
    explicit CoreRef(ToolCore& core) noexcept : core_(&core) { core.retain(); }
    CoreRef(const CoreRef& other) noexcept : core_(other.core_) {
        if (core_ != nullptr) core_->retain();
    }
    CoreRef(CoreRef&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
    CoreRef& operator=(CoreRef other) noexcept {
        std::swap(core_, other.core_);
        return *this;
    }
    ~CoreRef() {
        if (core_ != nullptr) core_->release();
    }

    /// Takes over the reference that a new core starts with.
    static CoreRef adopt(ToolCore* core) noexcept {
        CoreRef ref;
        ref.core_ = core;
        return ref;
    }

    ToolCore* get() const noexcept { return core_; }
    ToolCore* operator->() const noexcept { return core_; }
    ToolCore& operator*() const noexcept { return *core_; }
    explicit operator bool() const noexcept { return core_ != nullptr; }

  private:
    ToolCore* core_ = nullptr;
};

}  // namespace steptree::detail
