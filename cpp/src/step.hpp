#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fast.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"
#include "tree.hpp"

/// A step and what lies behind it in memory: the part of its kind, the body's closure, the handler,
/// the name.
namespace steptree::detail {

enum StepFlag : std::uint16_t {
    kHandler = 1,      // has an error handler
    kHandlerGone = 2,  // that was called already
    kNamed = 4,
    kOwns = 8,     // a closure that has to be destroyed
    kMarked = 16,  // something of its own is in the arena, from `mark` on
    kLabelled = 32,
    kOwed = 128,       // and kMarked: something is owed when it is left, however: see sync.cpp
    kLocking = 256,    // sync: its body has not begun
    kRace = 512,       // parallel: the first end of a branch is its own
    kAny = 1024,       // parallel: the first ok of a branch is its own
    kLasts = 1024,     // others: awaits, or may, what takes time to stop: see stopping.cpp
    kAttempt = 2048,   // of a retry
    kDefers = 4096,    // has deferred functions that its closing has not come to
    kShelters = 8192,  // a shielded frame: an open shield, or a step whose cleanup runs
    kResumes = 16384,  // has a coroutine that hears how the steps that it adds have ended
    kPinned = 32768    // stays when it has left its line: see outliving.hpp
};

inline constexpr std::size_t kShelterSize = 208;

struct Extra;

/// The step is its own accessor. Behind it in memory: the part of its kind, the body's closure, the
/// handler, the name.
class Step final : public IAsyncSteps {
  public:
    Step* next = nullptr;  // queued: in its level; open: first of its own level
    Step* parent;
    Line* line;
    union {
        const ClosureOps* ops;
        std::int64_t turn;  // of an iteration: which one it is; of a delay: milliseconds
    };
    Extra* extras = nullptr;
    std::uint32_t index = 0;  // in its level
    std::uint32_t count = 0;  // of steps added to its own level
    std::uint32_t mark = 0;   // with kMarked: the arena before that
    Phase phase;
    StepKind kind;
    std::uint16_t flags = 0;

    Step(StepKind kind, const ClosureOps* ops, Line& line, Step* parent) noexcept
        : parent(parent),
          line(&line),
          ops(ops),
          phase(kind == StepKind::plain ? Phase::body : Phase::queued),
          kind(kind) {}

    /// A step that ends its flow at once is left in its body's phase: it isn't the line's top.
    bool isTop() const noexcept { return line->top == this; }
    bool latches() const noexcept {
        return phase >= Phase::body && phase <= Phase::handler && isTop();
    }
    bool usable() const noexcept {
        return phase >= Phase::body && phase <= Phase::waiting && isTop();
    }
    /// It is a parallel, or a map, whose part begins as that of a parallel.
    bool hasBranches() const noexcept { return kind >= StepKind::map; }
    bool isLoop() const noexcept { return kind >= StepKind::loop && kind <= StepKind::forEach; }

    std::chrono::milliseconds remaining() const override;
    std::stop_token signal() override;
    Completion waitExternal() override;
    std::unique_ptr<IFlow> newInstance() override;
    State& state() override;
    bool valid() const noexcept override;
    void watch(const AwaitOps& ops, void* source) override;
    void keepCoroutine(const ClosureOps& ops, void* source) override;
    void* takeFrame(std::size_t size) override;
    void caught(const StepError& thrown) noexcept override;
    void caught(const LoopControl& thrown) noexcept override;
    void caught(const std::exception* thrown) noexcept override;

  private:
    void addStep(const StepSpec& spec) override;
    void* addBare(const ClosureOps& ops) override;
    IParallel& addParallel(const StepSpec& spec) override;
    void fail(std::string_view code, std::string_view info,
              const std::exception_ptr* cause) override;
    ErrorData* raise(std::string_view code, std::string_view info,
                     const std::exception_ptr* cause) override;
    std::uint64_t control(std::string_view label, bool isBreak, bool throws) override;
    void succeed(Results* values) override;
    void armTimeout(std::int64_t ms) override;
    void keepCancel(const ClosureOps& ops, void* source) override;
    void keepDeferred(const ClosureOps& ops, void* source) override;
    StackPlace reserveStack(std::size_t size, std::size_t align, void (*destroy)(void*)) override;
    void keepStack(StackPlace place) noexcept override;

    void* makeRoom(const ClosureOps& ops);
};

static_assert(sizeof(Step) == 64, "a step is one cache line before its closure");

/// Shielded, and limited, as its host.
inline Branch::Branch(Flow& flow, Step& host) noexcept : Line(flow), host(&host) {
    bits = host.line->bits & kSheltered;
    deadline = deadlineOf(*host.line);
}

/// Behind a loop, repeat or forEach step. All iterations use one step in turn.
struct LoopPart {
    LoopPart(Line& line, Step& loop) noexcept
        : iteration(StepKind::iteration, nullptr, line, &loop) {
        iteration.turn = -1;
    }

    Step iteration;
};

static_assert(sizeof(Flow) + sizeof(Step) + sizeof(LoopPart) + 2 * sizeof(void*) <= Flow::kSize,
              "a flow that is a loop whose body captures two pointers is one block");

/// A repeat's.
struct CountedPart : LoopPart {
    CountedPart(Line& line, Step& loop, std::int64_t count) noexcept
        : LoopPart(line, loop), count(count) {}

    std::int64_t count;
};

/// Behind a parallel step; what `parallel()` returned. In the run queue for the branches that have
/// not started.
struct ParallelPart final : IParallel, RunNode {
    ParallelPart(Step& step, Line& line, Step* maker) noexcept
        : step(step), line(line), maker(maker) {}
    void addStep(const StepSpec& spec) override;
    void* addBare(const ClosureOps& ops) override;
    bool mayAdd() const noexcept;
    void link(Step& branch) noexcept;

    Step& step;
    Line& line;
    union {
        Step* maker;  // whose body adds it; null: the root
        Step* stop;   // of a closing that waits for its branches: see closing.cpp
    };
    Step* first = nullptr;  // branches that have not started
    union {
        Step* last = nullptr;  // till it starts
        ErrorData* failures;   // then, of an any: one reference each, the last one first
    };
    Branch* eldest = nullptr;  // of those that have started and are open
    Branch* youngest = nullptr;
    void* place = nullptr;    // for the next one to start; null: there is none yet
    bool* dropped = nullptr;  // for who starts them: the others have been dropped
    std::uint32_t count = 0;
    std::uint32_t open = 0;  // with those that have not started
};

/// Behind a map step: a parallel whose branches are items, that are made when they start.
struct MapPart {
    MapPart(Step& step, Line& line, std::int64_t limit, bool keepsOrder) noexcept
        : items(step, line, nullptr), limit(limit), keepsOrder(keepsOrder) {}

    ParallelPart items;
    std::int64_t limit;
    std::int64_t room = 0;  // so many may still be started in this turn; 0 outside of it
    std::size_t next = 0;   // number of the next item
    bool keepsOrder;        // a result waits for those before it
    bool ended = false;     // the source is at its end
    bool over = false;      // nothing is started any more
};

/// One of the program's own, as the engine sees guards.
struct OwnGuard final : Guard {
    explicit OwnGuard(ISync& guard) noexcept : guard(guard) {}
    bool admit(Line&) noexcept override { return false; }
    void wait(Step& lock) override;
    void leave(Step& section) noexcept override;

    ISync& guard;
};

/// Behind a sync step.
struct SyncPart {
    explicit SyncPart(const StepSpec& spec) noexcept : guard(spec.of.guard) {
        if (spec.ownGuard) guard = ::new (static_cast<void*>(own)) OwnGuard(*spec.of.own);
    }
    /// What is called when it leaves is the program's.
    bool isOwn() const noexcept { return static_cast<const void*>(guard) == own; }

    Guard* guard;
    alignas(OwnGuard) std::byte own[sizeof(OwnGuard)];
    alignas(Step) std::byte lock[sizeof(Step)];  // made when the step opens
};

/// Behind a shield step.
struct ShieldPart {
    std::int64_t limit;
    alignas(std::int64_t) std::byte shelter[kShelterSize];  // made when the step opens
};

struct HandlerPart {
    const ClosureOps* ops;
};

struct NamePart {
    std::uint32_t size;
};

/// Of a retry step, see retrypart.hpp.
struct RetryPart;
inline constexpr std::size_t kRetryPart = 120;

constexpr std::size_t rounded(std::size_t size) noexcept {
    return (size + 7) & ~std::size_t{7};
}

inline std::size_t partSize(StepKind kind) noexcept {
    if (kind == StepKind::plain) return 0;
    if (kind == StepKind::repeat) return sizeof(CountedPart);
    if (kind == StepKind::loop || kind == StepKind::forEach) return sizeof(LoopPart);
    if (kind == StepKind::parallel) return sizeof(ParallelPart);
    if (kind == StepKind::map) return sizeof(MapPart);
    if (kind == StepKind::retry) return kRetryPart;
    if (kind == StepKind::sync) return sizeof(SyncPart);
    return kind == StepKind::shield ? sizeof(ShieldPart) : 0;
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
    return *reinterpret_cast<HandlerPart*>(static_cast<char*>(closureOf(step)) + step.ops->room);
}
/// Where the name or label is.
void* behindHandler(Step& step) noexcept;
std::string_view nameOf(Step& step) noexcept;

/// The level that `owner` has queued; the line's own if null.
inline Step*& levelOf(Line& line, Step* owner) noexcept {
    return owner != nullptr ? owner->next : line.first;
}

/// Takes the first step of the level and makes it the line's top.
inline void openNext(Line& line, Step*& level, Step& step) noexcept {
    level = step.next;
    step.next = nullptr;
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
/// What a destructor throws is reported.
void destroyClosure(Step& step, const ClosureOps& ops, void* closure) noexcept;
void dropQueued(Flow& flow, Step*& first) noexcept;

/// Leaves the line's top, however it ended.
[[gnu::always_inline]] inline void pop(Line& line, Step& step) noexcept {
    step.phase = Phase::closed;
    line.top = step.parent;
    if (kNothingOwned && (step.flags & (kOwns | kMarked)) == 0) return;
    if ((step.flags & (kOwns | kOwed)) != 0 || step.extras != nullptr) destroy(step);
    if ((step.flags & kMarked) != 0) line.arena.reset(line.core(), step.mark);
}

/// Leaves the line's top with ok; its values are in the line's results.
inline void close(Line& line, Step& step) noexcept {
    releaseSlot(line);
    pop(line, step);
}

/// Where the path of `step` goes on. A lock step is no element of it.
inline Step* outwards(Step& step) noexcept {
    if (step.parent == nullptr) {
        return step.line->isBranch() ? static_cast<Branch*>(step.line)->host : nullptr;
    }
    return step.parent->kind == StepKind::lock ? step.parent->parent : step.parent;
}

}  // namespace steptree::detail
