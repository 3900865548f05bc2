#pragma once

#include <cstdint>
#include <string_view>

#include "fast.hpp"
#include "kind.hpp"
#include "steptree/detail/definition.hpp"
#include "steptree/iasyncsteps.hpp"
#include "tree.hpp"

/// A step and what lies behind it in memory: the part of its kind, the body's closure, the handler,
/// the name.
namespace steptree::detail {

enum StepFlag : std::uint16_t {
    kHandler = 1,            // has an error handler
    kHandlerGone = 2,        // that was called already
    kNamed = 4,              // has a name
    kOwns = 8,               // a closure that has to be destroyed
    kMarked = 16,            // something of its own is in the arena, from `mark` on
    kShown = 32,             // who observes the flow knows that it's open; with kOwed
    kHidden = 64,            // stands for a part of its parent: has no element in paths
    kOwed = 128,             // its kind is asked when it closes, however
    kLocking = 256,          // sync: its body has not begun
    kLabelled = kLocking,    // of a loop
    kCounts = 512,           // with kOwns: its closure is the word that counts its description
    kNeverLocked = kCounts,  // of a sync: with kOwed, which is for who observes then
    kLasts = 1024,           // awaits, or may, what takes time to stop: see stopping.cpp
    kRound = 2048,           // of its parent: its path element
    kDefers = 4096,          // has deferred functions that its closing has not come to
    kShelters = 8192,        // a shielded frame: an open shield, or a step whose cleanup runs
    kResumes = 16384,        // has a coroutine that hears how the steps that it adds have ended
    kPinned = 32768,         // stays when it has left its line: see outliving.hpp
    kHolds = kOwns | kMarked | kOwed  // without one of them nothing is to be done when it closes
};

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
        std::int64_t turn;  // of an iteration: which one it is
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

    std::int64_t remaining() const override;
    Completion waitExternal() override;
    State& state() override;
    bool valid() const noexcept override;
    IFlow* makeFlow() override;
    void giveSignal(GivenSignal& into) override;
    void watch(const AwaitOps& ops, void* source) override;
    void keepReturned(Results& value) override;
    void keepCoroutine(const ClosureOps& ops, void* source) override;
    Results* lendOutcome(Outcome& into) noexcept override;
    void* keepLocal(const void* local, const TypeDesc& type, void* from) override;
    const void* findLocal(const void* local) const override;
    void* takeFrame(std::size_t size) override;
    void caught(const StepError& thrown) noexcept override;
    void caught(const LoopControl& thrown) noexcept override;
    void caught(const std::exception* thrown) noexcept override;

  private:
    void addStep(const StepSpec& spec) override;
    void* addBare(const ClosureOps& ops) override;
    const void* addPair(const PairOps& ops, const void* pair) noexcept override;
    void addDefined(const Definition& definition) override;
    IParallel& addParallel(const StepSpec& spec) override;
    void fail(std::string_view code, std::string_view info,
              const std::exception_ptr* cause) override;
    ErrorData* raise(std::string_view code, std::string_view info,
                     const std::exception_ptr* cause) override;
    std::uint64_t control(std::string_view label, bool isBreak, bool throws) override;
    void succeed(Results* values) override;
    void armTimeout(std::int64_t ms) override;
    void armTimeout(std::int64_t ms, std::string_view code) override;
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

struct HostPart;

/// Of a closing that waits for a host's branches: the step where it arrives on the host's line. One
/// that closes all of the line is a part of what the host of another line further out waits for.
class HostNote {
  public:
    Step* stop() const noexcept { return isPart() ? nullptr : reinterpret_cast<Step*>(place_); }
    /// Null: it's no part of another one.
    HostPart* whole() const noexcept {
        return isPart() ? reinterpret_cast<HostPart*>(place_ - kPart) : nullptr;
    }
    void arriveAt(Step* stop) noexcept { place_ = reinterpret_cast<std::uintptr_t>(stop); }
    void join(HostPart& whole) noexcept {
        place_ = reinterpret_cast<std::uintptr_t>(&whole) + kPart;
    }

  private:
    static constexpr std::uintptr_t kPart = 1;
    bool isPart() const noexcept { return (place_ & kPart) != 0; }

    std::uintptr_t place_ = 0;
};

/// What begins the part of a step with branches.
struct HostPart : RunNode {  // in the run queue for those that have not started
    HostNote note;
    Branch* eldest = nullptr;  // of those that have started and are open
    Branch* youngest = nullptr;
    void* place = nullptr;    // for the next one to start; null: there is none yet
    bool* dropped = nullptr;  // for who starts them: the others have been dropped
    std::uint32_t open = 0;   // with those that have not started
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

template <class Part>
Part& partOf(Step& step) noexcept {
    return *reinterpret_cast<Part*>(&step + 1);
}

/// As a Kind is asked to.
template <class Part>
void makePart(Step& step, const StepSpec& spec) noexcept {
    ::new (&step + 1) Part(step, spec);
}

/// Of a step of StepKind::other: its kind.
inline const Kind*& inFrontOf(Step& step) noexcept {
    return reinterpret_cast<const Kind**>(&step)[-1];
}

inline const Kind& kindOf(Step& step) noexcept {
    if (kPlainKind && step.kind == StepKind::plain) return plainKind;
    if (step.kind == StepKind::other) [[unlikely]]
        return *inFrontOf(step);
    return *kKinds[static_cast<std::size_t>(step.kind)];
}

/// Of a step that has branches.
inline HostPart& branchesOf(Step& step) noexcept {
    return partOf<HostPart>(step);
}
inline Step& stepOf(HostPart& part) noexcept {
    return *(reinterpret_cast<Step*>(&part) - 1);
}

/// The body's closure; a loop's for its iterations.
inline void* closureOf(Step& step) noexcept {
    return reinterpret_cast<char*>(&step + 1) + kindOf(step).size;
}
inline HandlerPart& handlerOf(Step& step) noexcept {
    return *reinterpret_cast<HandlerPart*>(static_cast<char*>(closureOf(step)) + step.ops->room);
}
/// Where its texts are: a loop's label, then the name.
void* behindHandler(Step& step) noexcept;
void* placeOfName(Step& step) noexcept;
/// Of one with kLabelled, and of one with kNamed.
std::string_view labelOf(Step& loop) noexcept;
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

/// The body of the line's top is to be called.
inline void giveBody(Line& line, Step& step, std::uint16_t marks = 0) noexcept {
    step.phase = Phase::body;
    line.marks = marks;
}

/// Before anything of an open step's own is put into its line's arena.
inline void markArena(Step& step) noexcept {
    if ((step.flags & kMarked) != 0) return;
    step.flags |= kMarked;
    step.mark = step.line->arena.mark();
}

/// Destroys what the step owns. Its destructors may throw, or call anything.
void destroy(Step& step) noexcept;
/// The same of one with kOwed, whose kind is told why it closes.
void destroyOwing(Step& step, const Why& why) noexcept;
/// Its kind hears that, and who observes the flow.
void payOwed(Step& step, const Why& why) noexcept;
/// What a destructor of the program's throws is reported at `told`, if that is still there.
void callDestructor(Step* told, void (*destroy)(void*), void* object) noexcept;
inline void destroyClosure(Step* told, const ClosureOps& ops, void* closure) noexcept {
    if (ops.destroy != nullptr) callDestructor(told, ops.destroy, closure);
}
void destroyClosures(Step& step, Step* told) noexcept;
void dropQueued(Flow& flow, Step*& first) noexcept;
/// It is the youngest of its step from now on.
inline void linkBranch(HostPart& host, Branch& branch) noexcept {
    branch.elder = host.youngest;
    (host.youngest == nullptr ? host.eldest : host.youngest->younger) = &branch;
    host.youngest = &branch;
}
/// What the closing that the host waits for is a part of. Who has been asked knows it at once the
/// next time, however many closings have taken each other's place.
HostPart& wholeOf(HostPart& host) noexcept;
/// Nothing is open on it any more.
void closeBranch(Branch& branch) noexcept;

/// Where a path shows it.
inline Step& shown(Step& step) noexcept {
    Step* at = &step;
    while ((at->flags & kHidden) != 0) at = at->parent;
    return *at;
}

/// Null: it's the flow's outermost.
inline Step* stepAround(Step& step) noexcept {
    if (step.parent != nullptr) return step.parent;
    return step.line->isBranch() ? static_cast<Branch*>(step.line)->host : nullptr;
}

/// Where the path of `step` goes on.
inline Step* outwards(Step& step) noexcept {
    Step* const around = stepAround(step);
    return around != nullptr ? &shown(*around) : nullptr;
}

/// Of a kind whose description is all that it needs.
template <class D>
const D& definitionOf(const StepSpec& spec) noexcept {
    return static_cast<const D&>(definitionAt(spec.source));
}

/// What stands in the place of its body; null: that is one.
inline const Definition* insideOf(const ClosureOps& ops, void* closure) noexcept {
    return ops.call == nullptr ? &definitionAt(closure) : nullptr;
}

}  // namespace steptree::detail
