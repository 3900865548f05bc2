#pragma once

#include <atomic>
#include <cstdint>

#include "arena.hpp"
#include "fast.hpp"
#include "steptree/detail/engineshare.hpp"
#include "steptree/detail/live.hpp"
#include "steptree/detail/rootflow.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/results.hpp"

/// The structures of the engine.
///
/// All open steps of a line form the chain line.top -> parent -> ... -> null. Only `top` may be in
/// another phase than `inner`. A step is left by exactly one of: close (ok), or what
/// unwind.cpp and closing.cpp perform. Nothing moves the tree while a body or handler of the line
/// is on the native stack: it only leaves marks, which settle() looks at.
namespace steptree::detail {

class Step;
struct End;
struct FlowExtras;
struct Flow;
struct RunOps;

/// queued -> body -> (awaiting) -> waiting -> claimed, or inner -> (handler, cancel) -> closed
///
/// A plain step is made in the phase `body`: nobody has its accessor before. In an order that lets
/// one comparison tell where an accessor is valid.
enum class Phase : std::uint8_t {
    queued,
    body,
    awaiting,  // the body returned an awaitable, and lasts until that has settled
    handler,
    waiting,
    claimed,  // ended from outside; the line's turn will see to it
    inner,    // its steps, iterations or branches run
    cancel,
    closed
};

/// What the code that runs, or a claim, left behind on its line.
enum Mark : std::uint16_t {
    kSuccess = 1,
    kSuccessAgain = 2,
    kError = 4,
    kControl = 8,
    kBreak = 16,     // with kControl; else it is a continue
    kWait = 32,      // setTimeout or setCancel was called
    kExternal = 64,  // waitExternal was called
    kAwaitable = 128,
    kSettled = 256,  // the returned awaitable has settled
    kValue = 512,    // with a value; or there is one beside which something else goes on
    kCloses = 1024,  // its step owes more than its leaving when it closes: see cleanup.cpp
    kKeeps = 2048,   // of a coroutine: it has more in the arena than the steps it has added
    kLate = 4096,    // of a claimed step: what its body has left is to be settled
    kTaken = 8192,   // the body has taken what would be lost if the step did not end now
    kLatched = kSuccess | kError | kControl
};

/// A line of execution: the root line of a flow or one branch of a parallel. In the run queue iff
/// it has something to do.
struct Line : FlowHead {
    explicit Line(Flow& flow) noexcept : flow(&flow), error(nullptr) {}

    std::uint16_t marks = 0;
    std::uint32_t bits = 0;  // of a flow; kSheltered: of any line
    Flow* flow;
    Step* top = nullptr;    // innermost open step
    Step* first = nullptr;  // the line's own level
    Arena arena;
    Slot* slot = nullptr;  // of top's completions
    union {
        ErrorData* error;  // with kError: one reference
        Step* target;      // with kControl: the loop
        Step* tail;        // with neither: last step added by the body that runs
    };
    Results* values = nullptr;  // for the next body; kept for the next ones, empty

    bool hasValues() const noexcept { return values != nullptr && !values->empty(); }
    void clearValues() noexcept {
        if (values != nullptr) values->clear();
    }
    /// In the place of those that are there; null: none. Throws bad_alloc, and has none then.
    void keepValues(Results* from) {
        if (from != nullptr || values != nullptr) [[unlikely]]
            replaceValues(from);
    }
    /// Sees to it that there is a place for them. Throws bad_alloc.
    void makeValues() {
        if (values == nullptr) values = newValues();
    }
    void dropValues() noexcept {
        if (values != nullptr) freeValues();
    }

    bool isBranch() const noexcept;
    EngineShare& share() const noexcept;
    ToolCore& core() const noexcept;

  private:
    void replaceValues(Results* from);
    Results* newValues();
    void freeValues() noexcept;
};

/// A timer that can end what runs on a line. deadlineOf(line) is the earliest of those around its
/// top; `outer` is the earliest further out. One that is due no sooner than one further out isn't
/// in this chain.
struct Deadline : TimerNode {
    Deadline* outer = nullptr;
    std::uintptr_t rare = 0;  // of a flow: what would stand in the place of the deadline
};

/// A branch that has started. Lives in its parent line's arena.
struct Branch : Line {
    Branch(Flow& flow, Step& host) noexcept;

    Step* host;  // the parallel step
    Deadline* deadline;
    Branch* elder = nullptr;
    Branch* younger = nullptr;  // among the open ones
    std::size_t index = 0;
};

enum FlowBit : std::uint32_t {
    kCancelLatch = 1,
    kCancelling = 2,
    kPending = 4,        // its cancel waits for the end of another flow's closing
    kOrphan = 8,         // its owner is gone
    kForeign = 16,       // made on another thread than its tool's
    kLaunching = 32,     // execute() is on its way through the inbox
    kTold = 64,          // this run has a `done` or a promise, the first of `ends`
    kOwned = 1024,       // its tool is its owner
    kCanceller = 128,    // somebody has a canceller of this run
    kSheltered = 256,    // of a line: a shielded frame is around its top, see cleanup.hpp
    kAwaited = 512,      // somebody waits until it is closed
    kPinnedLine = 2048,  // of a branch: see outliving.hpp
    kLooks = 4096,       // it has the turn, and its tool looks at its clock after each body
    kSettles = 8192,     // its end settles the promise that it has: see RunEnd
    kLeft = 16384,       // all but that has gone
    kRuns = kOwned | kTold | kSettles,  // as run() starts one
    kObserved = 32768,                  // somebody is told what it does: see observe.cpp
    kSeen = 65536,                      // of a line: it has had a turn since then
    kOnStack = 131072  // so often is code of the flow on the native stack: turns, closings, calls
};

/// A line's turn.
void turn(RunNode* node) noexcept;
/// The same of a line whose flow is observed.
void observedTurn(RunNode* node) noexcept;
/// The first one of a flow that its tool has started, of one described step.
template <std::uint32_t bits>
void ownedTurn(RunNode* node) noexcept;

/// What few flows have, of a flow that takes no memory from its tool: see fixed.hpp.
struct FixedParts {
    FlowExtras* extras = nullptr;
    End* ends = nullptr;
};

struct Flow : Line, Live {
    /// Its first steps lie behind it.
    Flow(ToolCore& core, std::uint32_t bits, std::size_t size = kSize) noexcept
        : Line(*this), tool(&core) {
        this->bits = bits;
        run = &turn;
        arena.embed(this + 1, reinterpret_cast<char*>(this) + size);
    }

    /// With what lies behind it; but of a fixed flow.
    static constexpr std::size_t kSize = BlockPool::kSizes[BlockPool::kFlow];

    ToolCore* tool;
    /// What few flows have: 0, its FlowExtras, the first of its ends + kEnds, or FixedParts +
    /// kFixed; or, in front of that, its line's deadline + kDeadline.
    std::uintptr_t rare = 0;

    static constexpr std::uintptr_t kEnds = 1;
    static constexpr std::uintptr_t kFixed = 2;
    static constexpr std::uintptr_t kDeadline = 3;
    static constexpr std::uintptr_t kRare = 3;

    static std::uintptr_t tagged(Deadline& deadline) noexcept {
        return reinterpret_cast<std::uintptr_t>(&deadline) + kDeadline;
    }
    Deadline* deadline() const noexcept {
        return (rare & kRare) == kDeadline ? reinterpret_cast<Deadline*>(rare - kDeadline)
                                           : nullptr;
    }
    /// But for the deadline.
    std::uintptr_t rest() const noexcept {
        return (rare & kRare) == kDeadline ? deadline()->rare : rare;
    }
    void setRest(std::uintptr_t rest) noexcept {
        ((rare & kRare) == kDeadline ? deadline()->rare : rare) = rest;
    }
    FixedParts* fixed() const noexcept {
        if ((rare & kFixed) == 0) return nullptr;
        const std::uintptr_t parts = rest();
        return (parts & kRare) == kFixed ? reinterpret_cast<FixedParts*>(parts - kFixed) : nullptr;
    }
    FlowExtras* flowExtras() const noexcept {
        const std::uintptr_t parts = rest();
        if ((parts & kRare) == 0) return reinterpret_cast<FlowExtras*>(parts);
        return (parts & kFixed) != 0 ? fixed()->extras : nullptr;
    }
    bool onStack() const noexcept { return bits >= kOnStack; }
    /// Somebody has asked for it; what is shielded doesn't know yet: see cancelled(line).
    bool cancelled() const noexcept { return (bits & kCancelLatch) != 0; }
    /// As a new one is, that takes its memory from its tool.
    bool fresh() const noexcept {
        return bits == 0 && rare == 0 && arena.isAt(this + 1) &&
               !running.load(std::memory_order_relaxed);
    }
    /// Gives back all steps, which are closed.
    void clearArena() noexcept { arena.clear(*tool, this + 1); }
};

/// In front of the steps of a flow that run() has started: whom its end is told. What that was
/// lies behind it, when the steps have gone.
struct RunEnd {
    const RunOps* ops;
    void* promise = nullptr;
    Outcome* outcome = nullptr;
};
inline RunEnd& runEndOf(Flow& flow) noexcept {
    return *reinterpret_cast<RunEnd*>(&flow + 1);
}

inline Flow& asFlow(FlowHead& head) noexcept {
    return static_cast<Flow&>(head);
}

/// Whether a cancel that is latched ends what the line does.
inline bool cancelled(const Flow& flow, const Line& line) noexcept {
    if (!flow.cancelled()) [[likely]]
        return false;
    return (line.bits & kSheltered) == 0 || (flow.bits & kOrphan) != 0;
}
inline bool cancelled(const Line& line) noexcept {
    return cancelled(*line.flow, line);
}

inline bool Line::isBranch() const noexcept {
    return static_cast<const Line*>(flow) != this;
}
inline Deadline* deadlineOf(const Line& line) noexcept {
    return line.isBranch() ? static_cast<const Branch&>(line).deadline : line.flow->deadline();
}
/// Null: none.
inline void setDeadline(Line& line, Deadline* deadline) noexcept {
    if (line.isBranch()) {
        static_cast<Branch&>(line).deadline = deadline;
        return;
    }
    Flow& flow = *line.flow;
    const std::uintptr_t rest = flow.rest();
    if (deadline != nullptr) deadline->rare = rest;
    flow.rare = deadline != nullptr ? Flow::tagged(*deadline) : rest;
}
/// It is one that is set for an open step of the line.
inline void dropDeadline(Line& line, Deadline& deadline) noexcept {
    Flow& flow = *line.flow;
    if (kLoneDeadline && flow.rare == Flow::tagged(deadline) && deadline.outer == nullptr) {
        flow.rare = deadline.rare;
    } else if (deadlineOf(line) == &deadline) {
        setDeadline(line, deadline.outer);
    }
}
inline EngineShare& Line::share() const noexcept {
    return flow->tool->engine;
}
inline ToolCore& Line::core() const noexcept {
    return *flow->tool;
}

void dropRemote(RemoteSettlement* remote) noexcept;

inline void releaseSlot(Line& line) noexcept {
    if (line.slot == nullptr) return;
    RemoteSettlement* remote = line.core().slots.release(std::exchange(line.slot, nullptr));
    if (remote != nullptr) dropRemote(remote);
}

}  // namespace steptree::detail
