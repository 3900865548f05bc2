#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "arena.hpp"
#include "steptree/detail/engineshare.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/iasyncsteps.hpp"

/// The structures of the engine.
///
/// All open steps of a line form the chain line.top -> parent -> ... -> null. Only `top` may be in
/// another phase than `inner`. A step is left by exactly one of: close (ok), or the closing that
/// unwind.cpp performs. Nothing moves the tree while a body or handler of the line is on the native
/// stack: it only leaves marks, which settle() looks at.
namespace steptree::detail {

class Step;
struct End;
struct Cold;

/// queued -> body -> (awaiting) -> waiting -> claimed, or inner -> (handler, cancel) -> closed
enum class Phase : std::uint8_t {
    queued,
    body,
    awaiting,  // the body returned an awaitable, and lasts until that has settled
    waiting,
    claimed,  // ended from outside; the line's turn will see to it
    inner,    // its steps, iterations or branches run
    handler,
    cancel,
    closed
};

/// What the code that runs, or a claim, left behind on its line.
enum Mark : std::uint32_t {
    kSuccess = 1,
    kSuccessAgain = 2,
    kError = 4,
    kControl = 8,
    kBreak = 16,     // with kControl; else it is a continue
    kWait = 32,      // setTimeout or setCancel was called
    kExternal = 64,  // waitExternal was called
    kAwaitable = 128,
    kSettled = 256,  // the returned awaitable has settled
    kValue = 512,    // with a value
    kLatched = kSuccess | kError | kControl
};

enum StepFlag : std::uint16_t {
    kHandler = 1,      // has an error handler
    kHandlerGone = 2,  // that was called already
    kNamed = 4,
    kOwns = 8,    // a closure that has to be destroyed
    kMarked = 16  // something of its own is in the arena, from `mark` on
};

/// What a step has only when it is used. Newest first; lives in the line's arena.
struct Extra {
    enum Type : std::uint8_t { timer, cancel, stack, await };
    Extra* next;
    Type type;
    bool live = true;
    bool forgotten = false;  // a cancel handler after a claimed ok
};

/// A line of execution: the root line of a flow or one branch of a parallel. In the run queue iff
/// it has something to do.
struct Line : RunNode {
    Flow* flow;
    Step* top = nullptr;    // innermost open step
    Step* first = nullptr;  // the line's own level
    Step* tail = nullptr;   // last step added by the body that runs
    std::uint32_t count = 0;
    std::uint32_t marks = 0;
    Arena arena;
    union {
        ErrorData* error;  // with kError: one reference
        Step* target;      // with kControl: the loop
    };
    Slot* slot = nullptr;  // of top's completions
    Results results;       // for the next body

    bool isBranch() const noexcept;
    EngineShare& share() const noexcept;
    ToolCore& core() const noexcept;
};

/// A branch that has started. Lives in its parent line's arena.
struct Branch : Line {
    Step* host = nullptr;  // the parallel step
    std::uint32_t index = 0;
    bool closed = false;
};

enum FlowBit : std::uint8_t {
    kCancelLatch = 1,
    kCancelling = 2,
    kPending = 4,     // its cancel waits for the end of another flow's closing
    kOrphan = 8,      // its owner is gone
    kForeign = 16,    // made on another thread than its tool's
    kLaunching = 32,  // execute() is on its way through the inbox
    kTold = 64,       // this run has a `done` or a promise, the first of `ends`
    kCanceller = 128  // somebody has a canceller of this run
};

/// A line's turn.
void turn(RunNode* node) noexcept;

struct Flow : Line {
    Flow(ToolCore& core, std::uint32_t burst, bool foreign) noexcept
        : tool(&core), burst(burst), bits(foreign ? kForeign : 0) {
        run = &turn;
        flow = this;
        error = nullptr;
    }

    ToolCore* tool;
    Cold* cold = nullptr;
    End* ends = nullptr;  // of this run and of earlier ones that are not told yet
    std::uint32_t burst;
    std::uint16_t onStack = 0;  // turns, closings and calls of the flow on the native stack
    std::uint8_t bits = 0;
    std::atomic<bool> running{false};
    Block block;  // the rest of this flow's block, up to its end

    bool cancelled() const noexcept { return (bits & kCancelLatch) != 0; }
};

inline bool Line::isBranch() const noexcept {
    return static_cast<const Line*>(flow) != this;
}
inline EngineShare& Line::share() const noexcept {
    return flow->tool->engine;
}
inline ToolCore& Line::core() const noexcept {
    return *flow->tool;
}

/// The step is its own accessor. Behind it in memory: the part of its kind, the body's closure, the
/// handler, the name.
class Step final : public IAsyncSteps {
  public:
    Step* next = nullptr;  // queued: in its level; open: first of its own level
    Step* parent = nullptr;
    Line* line = nullptr;
    const ClosureOps* ops;
    Extra* extras = nullptr;
    std::uint32_t index = 0;  // in its level
    std::uint32_t count = 0;  // of steps added to its own level
    std::uint32_t mark = 0;   // with kMarked: the arena before that
    Phase phase = Phase::queued;
    StepKind kind;
    std::uint16_t flags = 0;

    Step(StepKind kind, const ClosureOps* ops) noexcept : ops(ops), kind(kind) {}

    bool latches() const noexcept {
        return phase == Phase::body || phase == Phase::awaiting || phase == Phase::handler;
    }
    bool isLoop() const noexcept { return kind >= StepKind::loop && kind <= StepKind::forEach; }

    void errorNoThrow(std::string_view code, std::string_view info,
                      std::exception_ptr cause) override;
    void breakLoop(std::string_view label) override;
    void continueLoop(std::string_view label) override;
    void breakNoThrow(std::string_view label) override;
    void continueNoThrow(std::string_view label) override;
    Completion waitExternal() override;
    std::unique_ptr<IFlow> newInstance() override;
    State& state() override;
    bool valid() const noexcept override;
    void watch(const AwaitOps& ops, void* source) override;

  private:
    void addStep(const StepSpec& spec) override;
    void* addBare(const ClosureOps& ops) override;
    IParallel& addParallel(const StepSpec& spec) override;
    [[noreturn]] void raise(std::string_view code, std::string_view info,
                            std::exception_ptr cause) override;
    void succeed(Results* values) override;
    void armTimeout(std::int64_t ms) override;
    void keepCancel(const ClosureOps& ops, void* source) override;
    StackPlace reserveStack(std::size_t size, std::size_t align, void (*destroy)(void*)) override;
    void keepStack(StackPlace place) noexcept override;

    void mayAdd() const;
    void control(std::string_view label, bool isBreak, bool throws);
};

static_assert(sizeof(Step) == 64, "a step is one cache line before its closure");

/// Behind a loop, repeat or forEach step. All iterations use one step in turn.
struct LoopPart {
    Step iteration;
    std::int64_t index = -1;
    std::int64_t count;
    std::string_view label;
    bool ready = false;  // forEach: at an element whose iteration has not begun
};

/// Behind a parallel step; what `parallel()` returned.
struct ParallelPart final : IParallel {
    ParallelPart(Step& step, Line& line, Step* maker) noexcept
        : step(step), line(line), maker(maker) {}
    void addStep(const StepSpec& spec) override;
    void* addBare(const ClosureOps& ops) override;
    void mayAdd() const;
    void link(Step& branch) noexcept;

    Step& step;
    Line& line;
    Step* maker;            // whose body adds it; null: the root
    Step* first = nullptr;  // branches that have not started
    Step* last = nullptr;
    Branch* branches = nullptr;
    std::uint32_t count = 0;
    std::uint32_t open = 0;
    std::uint32_t next = 0;  // branches before it are closed
};

struct HandlerPart {
    const ClosureOps* ops;
};

struct NamePart {
    std::uint32_t size;
};

constexpr std::size_t rounded(std::size_t size) noexcept {
    return (size + 7) & ~std::size_t{7};
}

inline std::size_t partSize(StepKind kind) noexcept {
    if (kind == StepKind::plain) return 0;
    if (kind >= StepKind::loop && kind <= StepKind::forEach) return sizeof(LoopPart);
    return kind == StepKind::parallel ? sizeof(ParallelPart) : 0;
}

template <class Part>
Part& partOf(Step& step) noexcept {
    return *reinterpret_cast<Part*>(&step + 1);
}

/// The body's closure; a loop's for its iterations.
inline void* closureOf(Step& step) noexcept {
    return reinterpret_cast<char*>(&step + 1) + partSize(step.kind);
}
inline HandlerPart& handlerOf(Step& step) noexcept {
    return *reinterpret_cast<HandlerPart*>(static_cast<char*>(closureOf(step)) +
                                           rounded(step.ops->size));
}
std::string_view nameOf(Step& step) noexcept;

/// Queues a step in the level of `owner`, the line's own level if null.
Step& append(Line& line, Step* owner, const StepSpec& spec);
/// The same for a step with nothing but a body; gives the place of the closure.
void* appendBare(Line& line, Step* owner, const ClosureOps& ops);

/// Takes the first step of the level and makes it the line's top.
inline void openNext(Line& line, Step* owner, Step& step) noexcept {
    (owner != nullptr ? owner->next : line.first) = step.next;
    step.next = nullptr;
    step.parent = owner;
    step.line = &line;
    line.top = &step;
}

/// Before anything of an open step's own is put into its line's arena.
inline void markArena(Step& step) noexcept {
    if ((step.flags & kMarked) != 0) return;
    step.flags |= kMarked;
    step.mark = step.line->arena.mark();
}

/// Destroys what the step owns. Its destructors may throw, or call anything.
void destroy(Step& step) noexcept;
void dropQueued(Flow& flow, Step*& first) noexcept;

/// Leaves the line's top, however it ended.
inline void pop(Line& line, Step& step) noexcept {
    step.phase = Phase::closed;
    line.top = step.parent;
    if ((step.flags & (kOwns | kMarked)) == 0) return;
    if ((step.flags & kOwns) != 0 || step.extras != nullptr) destroy(step);
    if ((step.flags & kMarked) != 0) line.arena.reset(line.core(), step.mark);
}

void dropAway(Away* away) noexcept;

inline void releaseSlot(Line& line) noexcept {
    if (line.slot == nullptr) return;
    Away* away = line.core().releaseSlot(std::exchange(line.slot, nullptr));
    if (away != nullptr) dropAway(away);
}

/// Leaves the line's top with ok; its values are in the line's results.
inline void close(Line& line, Step& step) noexcept {
    releaseSlot(line);
    pop(line, step);
}

/// The text of error-6.
std::string pathOf(Step& step);

}  // namespace steptree::detail
