#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/clock.hpp"
#include "steptree/detail/blockpool.hpp"
#include "steptree/detail/bodybudget.hpp"
#include "steptree/detail/engineshare.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/inbox.hpp"
#include "steptree/detail/keptflows.hpp"
#include "steptree/detail/live.hpp"
#include "steptree/detail/owned.hpp"
#include "steptree/detail/random.hpp"
#include "steptree/detail/runqueue.hpp"
#include "steptree/detail/slots.hpp"
#include "steptree/detail/timers.hpp"
#include "steptree/detail/toolhooks.hpp"

namespace steptree::detail {

/// What a tool is to the engine: run queue, timers, inbox, completion slots. A driver (AsyncTool,
/// VirtualTool) decides when passes run. Counted: lives as long as the tool, a flow, a completion
/// or a handle refers to it.
///
/// Everything belongs to the tool's thread, except what says "any thread".
class ToolCore : public Owned {
  public:
    static constexpr std::int64_t kNever = Wheel::kNever;

    /// Time stands still, and is set by moveTo(), if `clock` is null. Its one reference is the
    /// tool's, which ends with leave().
    explicit ToolCore(Clock* clock, IMemPool* pool = nullptr);
    ToolCore(const ToolCore&) = delete;
    ToolCore& operator=(const ToolCore&) = delete;

    /// Any thread. On the tool's own they cost no atomic operation while the tool lives: close()
    /// adds what was counted there.
    void retain() noexcept {
        if (countsHere()) {
            ++references_;
        } else {
            shared_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void release() noexcept {
        if (countsHere()) {
            --references_;
        } else {
            releaseShared();
        }
    }

    /// Gives the flows that are kept back to the pool.
    void releaseFlows() noexcept;

    /// A flow of the tool's own thread refers to the core without atomic counting: the tool does it
    /// for all of them while it lives, close() leaves one reference to those that remain.
    void flowBorn() noexcept {
        if (flows_++ == 0 && closed_) retain();
    }
    void flowGone() noexcept {
        if (--flows_ == 0 && closed_) release();
    }
    /// With those that are kept.
    std::size_t flows() const noexcept { return flows_; }

    // ---- for the engine

    BlockPool blocks;
    KeptFlows flowsKept;
    LiveFlows flowsLive;
    EngineShare engine{*this};
    Slots slots{&engine, &engine.ops};

    /// The tool's numbers; those of a tool with a clock that was given no seed begin anywhere.
    double random() noexcept {
        if (!numbers_) numbers_ = Random(anySeed());
        return numbers_.next() * 0x1p-32;
    }
    void seed(std::uint32_t seed) noexcept { numbers_ = Random(seed); }

    /// To the tail. No-op if queued.
    void enqueue(RunNode& node) noexcept {
        if (!node.queued()) enqueueNew(node);
    }
    /// The same for one that is not.
    void enqueueNew(RunNode& node) noexcept {
        queue_.push(node);
        if (stirs()) [[unlikely]]
            stir();
    }
    void remove(RunNode& node) noexcept {
        if (node.queued()) queue_.remove(node);
    }

    /// For a node that stands for several, each with a turn of its own: whether the tool wants to
    /// look around before the next of them, which is the next to run if the node is put back.
    bool looksAround() const noexcept { return attention_ || stopped(); }
    void putBack(RunNode& node) noexcept {
        queue_.unpop(node);
        if (observed_) engine.queued(node);
    }

    /// Whether the engine is shown what is queued from now on, and looks at it in its turn: see
    /// observe.cpp. That is what is in the queue now, too.
    void observed(bool isNow) noexcept;
    bool isObserved() const noexcept { return observed_; }

    /// Runs the node right after the current callback, in order of these calls, those of such nodes
    /// included; outside of a callback before the next one. remove() takes it back.
    void afterCallback(RunNode& node) noexcept {
        if (node.queued()) return;
        after_.push(node);
        attention_ = true;
        if (stirs()) stir();
    }

    /// Fires in the first timer pass that begins at least `delayMs` later; arming again starts
    /// anew. While bodies are short the clock is read once a callback, at its end: a timer never
    /// fires early, and one that is disarmed in between costs no reading.
    void arm(TimerNode& node, std::int64_t delayMs) noexcept {
        disarm(node);
        armNew(node, delayMs);
    }
    /// The same for one that is not armed.
    void armNew(TimerNode& node, std::int64_t delayMs) noexcept {
        if (!inCallback() || looks()) return placeNow(node, delayMs);
        node.due = ~delayMs;
        fresh_.push(node);
        attention_ = true;
    }
    void disarm(TimerNode& node) noexcept {
        if (!node.armed()) return;
        Wheel::remove(node);
        if (stirs()) [[unlikely]]
            stir();
    }

    /// How many are to fire; looks at each.
    std::size_t armedTimers() const noexcept;

    /// Until an armed one is due, never more than it was armed with; 0 if it is late.
    std::int64_t left(const TimerNode& node) noexcept { return node.left(timeForTimers()); }
    /// For several of them.
    std::int64_t timeForTimers() noexcept;
    /// Those that are armed get their due times.
    void placeFresh() noexcept {
        if (!fresh_.empty()) place();
    }

    /// Whole milliseconds since the tool was made. With a clock: any thread.
    std::int64_t now() const noexcept;
    /// Of its clock, wherever that begins: what all tools with that clock agree on.
    std::int64_t clockTime() const noexcept;
    /// The same of a tool that may be gone: then, and of null, `gone`.
    static std::int64_t clockTimeOf(const ToolCore* core, std::int64_t gone) noexcept;

    /// How many bodies may run before somebody looks again.
    std::uint32_t mayRun() const noexcept { return budget_.left(); }
    /// Counts bodies and user's immediates, not more than mayRun(), or one; true = end the turn,
    /// the tool's time budget is used up, or timers are due.
    bool ran(std::uint32_t bodies) noexcept { return budget_.spend(bodies) && overBudget(); }

    /// Whether isLate() is to be asked after each body, before what that has left is done: bodies
    /// have proved slow, or time moves in them by hand.
    bool looks() const noexcept { return budget_.isTightest(); }
    /// Looks at the clock: whether time has passed since timers were called last, and one is due.
    bool isLate() noexcept;

    /// It has no clock: its time stands still, but for moveTo().
    bool standsStill() const noexcept { return clock_ == nullptr; }
    /// What bodies are timed by, while the tool lives.
    Clock& clock() const noexcept { return clock_ != nullptr ? *clock_ : Clock::steady(); }

    /// Whether Ticks tell how old a reading of its clock is.
    bool ticks() const noexcept { return ticks_; }

    bool inCallback() const noexcept { return mode_ >= Mode::runs; }

    /// Whether this thread is within a pass of some tool: then it must not wait for another.
    static bool serving() noexcept;

    /// Any thread. Delivered in the next pass; never waits. If the tool is gone it is delivered
    /// here, with alive = false.
    void postRemote(RemoteNode& node) noexcept { post(Posted(node)); }
    void postRemote(Slot& slot) noexcept { post(Posted::ofSlot(slot)); }

    /// Hands an exception that left a callback to the tool's error hook. Any thread.
    void failed(std::exception_ptr error) noexcept { hooks_.failed(std::move(error)); }

    /// Any thread: whether the tool is its own now; or, if several drive it, as good as that: it is
    /// told to be inside, or it was the last to drive it, or none is left that was.
    bool drivenHere() const noexcept;

    /// What may wait for a flow of that tool, which may be gone, asks before: InternalError on the
    /// thread that it would wait for.
    static void mayWait(const ToolCore* core);

    /// False from the moment in which the tool begins to go.
    bool alive() const noexcept { return !closed_; }

    /// The tool is gone: the last thing that it does. In a callback the core stays until the pass
    /// has ended.
    void leave() noexcept;

    // ---- for drivers

    /// The tool is this thread's from now on. InternalError within a callback of it, on whatever
    /// thread.
    void drive(const char* call);

    /// A pass, then the timers that are due, for a tool with a clock. How long until there is
    /// something to do again, in nanoseconds: 0 at once, kNever without timers, kFar if they are
    /// so far off.
    std::int64_t round() noexcept;
    static constexpr std::int64_t kFar = kNever - 1;

    /// The two alone, for a tool without. False: the tool is gone, and the core perhaps too.
    bool pass() noexcept;
    bool timers() noexcept;

    /// The same where an order chooses: how many things may come next, and a pass of that one, or
    /// the first due timer, which is number 0, fired in its place.
    std::size_t alternatives() noexcept;
    bool passOf(std::size_t choice) noexcept;

    /// Whether a pass would find something to do.
    bool ready() const noexcept { return !queue_.empty() || !after_.empty() || !inbox_.empty(); }

    /// The same as a time of now(), for a tool without clock.
    std::int64_t nextDue() noexcept { return wheel_.idle() ? kNever : wheel_.next(); }

    /// Of who observes a tool without clock: when the first of them is to be called; kNever: none
    /// is. To call it: false if the tool is gone then.
    std::int64_t nextAlarm() const noexcept { return observed_ ? engine.nextAlarm() : kNever; }
    bool ring() noexcept;

    /// Time for a tool without clock; never back.
    void moveTo(std::int64_t now) noexcept { time_ = looked_ = now; }
    /// The same for what the callback that runs has worked.
    void elapse(std::int64_t ms) noexcept;

    /// Bodies and user immediates so far, for a tool without clock.
    std::uint32_t bodies() const noexcept { return bodies_; }
    void forgetBodies() noexcept { bodies_ = 0; }

    /// Any thread may call `wake`, after it has scheduled something for a tool that sleeps, or has
    /// disarmed a timer of it; once a sleep. It must only signal.
    void onWake(Function<void()> wake);
    void onError(ToolHooks::ErrorHook hook) { hooks_.onError(std::move(hook)); }
    /// Several threads drive it: it belongs to none but during a Visit.
    void onCaller(Function<Caller()> caller);
    bool asksCaller() const noexcept { return hooks_.asksCaller(); }
    /// Any thread that isn't the tool's.
    Caller caller() const noexcept { return hooks_.caller(); }
    class Visit;

    /// The driver waits from now on, as after a round that left nothing to do at once.
    void sleeps() noexcept { become(idle_); }

    /// For a driver that looks at the inbox before it waits: until it sleeps other threads need not
    /// wake it. False: one of them has just scheduled something, it must not sleep.
    void watches() noexcept;
    [[nodiscard]] bool stopsWatching() noexcept;

    /// Any thread: no further callback begins, close() will follow.
    void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

    /// Drops all that is pending, unrun; every completion becomes stale. Idempotent.
    void close() noexcept;

  private:
    friend class Home;
    ~ToolCore();

    void join() noexcept;
    void endLife() noexcept;
    static const ToolCore* living(const ToolCore* core) noexcept;
    [[noreturn]] static void drivenElsewhere(const char* call);
    bool wouldWaitForItself() const noexcept;
    void post(Posted posted) noexcept;
    void deliver(Posted posted, bool alive) noexcept;
    void deliverAll(Posted first) noexcept;
    bool countsHere() const noexcept { return onOwnThread() && !closed_; }
    STEPTREE_VISIBLE void releaseShared() noexcept;
    static std::uint32_t anySeed() noexcept;
    void runPass() noexcept;
    bool call(RunNode& node) noexcept;
    void runRest() noexcept;
    void begin() noexcept;
    void ended() noexcept;
    bool goesOn() noexcept;
    bool gone() noexcept;
    bool startsLate() noexcept;
    std::int64_t endRound() noexcept;
    bool fireDue() noexcept;
    bool fireOne(TimerNode& timer) noexcept;
    bool isLine(const RunNode& node) const noexcept;
    std::int64_t untilTimer(bool late) noexcept;
    Moment moment() noexcept;
    std::int64_t ceilingOf(std::int64_t ns) const noexcept;
    void put(TimerNode& node, const Moment& from) noexcept;
    void place() noexcept;
    void placeNow(TimerNode& node, std::int64_t delayMs) noexcept;
    void placed() noexcept;
    void stir() noexcept;
    bool overBudget() noexcept;
    bool isOverdue() noexcept;
    bool isDue() noexcept;
    void startBudget() noexcept;
    void tune() noexcept;
    void readClock() noexcept { time_ = clock_->nanoseconds() - epoch_; }

    static constexpr std::int64_t kAlive = std::int64_t{1} << 40;  // of a tool that lives
    static constexpr std::int64_t kMillisecond = 1'000'000;        // ns

    /// asleep: whatever is scheduled or disarmed has to call `wake`
    enum class Mode : std::uint8_t { awake, asleep, awakeObserved = 3, runs, runsObserved };
    /// Who schedules something calls stir().
    bool stirs() const noexcept { return (static_cast<std::uint8_t>(mode_) & 1) != 0; }
    Mode awake() const noexcept { return observed_ ? Mode::awakeObserved : Mode::awake; }
    Mode runs() const noexcept { return observed_ ? Mode::runsObserved : Mode::runs; }
    void become(Mode mode) noexcept {
        std::atomic_ref(mode_).store(mode, std::memory_order_relaxed);
    }
    /// Any thread.
    bool runsSomewhere() noexcept {
        return std::atomic_ref(mode_).load(std::memory_order_relaxed) >= Mode::runs;
    }

    RunQueue queue_;
    List<RunNode> after_;
    List<TimerNode> fresh_;    // armed in the current callback, `due` is ~ of the delay
    Mode mode_ = Mode::awake;  // written as an atomic: see runsSomewhere()
    Mode idle_ = Mode::awake;  // asleep, if there is a `wake`
    bool closed_ = false;
    bool attention_ = false;  // after_, fresh_ or passOver_ are to be looked at after the callback
    bool passOver_ = false;   // without clock: if a timer is due
    bool timed_ = false;      // passStart_ is that of this pass
    bool clocked_ = false;    // the clock is to be read after the pass: timed_, timers, or closed_
    std::atomic<bool> stopped_{false};
    BodyBudget budget_;
    std::size_t flows_ = 0;
    std::int64_t references_ = 0;  // of the tool's thread, until close()
    Inbox inbox_;
    std::atomic<bool> watches_{false};          // the driver looks at the inbox by itself
    std::atomic<std::int64_t> shared_{kAlive};  // references: the other threads', then all

    Clock* const clock_;
    const std::int64_t epoch_;  // ns
    std::int64_t time_ = 0;     // last reading: ns since epoch_; without clock: ms
    std::int64_t looked_ = 0;   // when timers were called last
    std::int64_t passStart_ = 0;
    std::int64_t tuned_ = 0;
    std::uint32_t readings_ = 0;  // of the clock in this pass
    std::uint32_t bodies_ = 0;    // without clock
    bool observed_ = false;       // attention_ and clocked_ stay then: all goes the long way
    const bool ticks_;            // the clock is the machine's, and Ticks tell when to read it
    std::uint64_t placedAt_ = 0;  // Ticks of the last moment() that has read it

    Random numbers_;

    List<TimerNode> expired_;
    Wheel wheel_;
    List<TimerNode> never_;  // armed for ever

    ToolHooks hooks_;
    std::mutex visits_;           // held during a Visit
    ToolCore* before_ = nullptr;  // among all tools
    ToolCore* next_ = nullptr;
};

}  // namespace steptree::detail
