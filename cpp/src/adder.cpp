#include <cstring>

#include "extras.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "latch.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "retrypart.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/rootflow.hpp"
#include "timer.hpp"

/// The calls that add a step. An owner may add in its body or handler, a root while it is idle.
namespace steptree::detail {

namespace {

static_assert(sizeof(StepSpec) == 9 * sizeof(void*));

constexpr ClosureOps kNoClosure{0, 0, false, nullptr, nullptr, nullptr, 0};

std::size_t sizeOf(const StepSpec& spec, const ClosureOps& ops) noexcept {
    std::size_t size = sizeof(Step) + partSize(spec.kind) + ops.room;
    if (spec.handler != nullptr) size += sizeof(HandlerPart) + spec.handler->room;
    if (!spec.text.empty()) size += rounded(sizeof(NamePart) + spec.text.size());
    return size;
}

/// Destroys the body again if what follows it can't be made.
struct Undo {
    Step& step;
    bool owed = true;
    ~Undo() {
        if (owed) destroyClosure(step, *step.ops, closureOf(step));
    }
};

void makeText(Step& step, std::string_view text) noexcept {
    auto* part = ::new (behindHandler(step)) NamePart{static_cast<std::uint32_t>(text.size())};
    char* to = reinterpret_cast<char*>(part + 1);
    std::memcpy(to, text.data(), text.size());
    step.flags |= step.isLoop() ? kLabelled : kNamed;
}

void makePart(Line& line, Step& step, Step* owner, const StepSpec& spec) noexcept {
    if (step.kind == StepKind::repeat) {
        ::new (&step + 1) CountedPart(line, step, spec.count);
    } else if (step.isLoop()) {
        ::new (&step + 1) LoopPart(line, step);
    } else if (step.kind == StepKind::parallel) {
        ::new (&step + 1) ParallelPart(step, line, owner);
        if (spec.mode != BranchMode::all)
            step.flags |= spec.mode == BranchMode::race ? kRace : kAny;
    } else if (step.kind == StepKind::map) {
        ::new (&step + 1) MapPart(step, line, spec.count, spec.keepsOrder);
    } else if (step.kind == StepKind::sync) {
        ::new (&step + 1) SyncPart(spec);
    } else if (step.kind == StepKind::shield) {
        partOf<ShieldPart>(step).limit = spec.count;
    } else if (step.kind == StepKind::delay) {
        step.turn = spec.count;
    } else if (step.kind == StepKind::retry) {
        ::new (&step + 1) RetryPart(std::move(*spec.of.retry));
        step.flags |= kOwns;
    }
}

void checkLimit(std::int64_t ms) {
    if (ms >= 0 && ms != kForever) return;
    misuse("shield: expected a limit of at least 0 ms that is not infinite, got " +
           (ms == kNoDuration ? std::string("no number") : std::to_string(ms)));
}

/// A flow that is to be awaited.
void checkFlow(const Line& line, const StepSpec& spec) {
    if (spec.runs) misuse("await: the flow is running");
    if (spec.of.core != line.flow->tool) misuse("await: the flow is of another tool");
}

/// What its kind asks of it.
void checkKind(const Line& line, const StepSpec& spec) {
    if (spec.kind == StepKind::delay) checkDelay("delay", spec.count);
    if (spec.kind == StepKind::map && spec.count < 1)
        misuse("map: expected a limit of at least 1, got 0");
    if (spec.kind == StepKind::retry) checkRetry(*spec.of.retry);
    if (spec.kind == StepKind::await && spec.of.core != nullptr) checkFlow(line, spec);
}

/// A step that is in no level yet. Throws what the closures' constructors throw, or bad_alloc.
Step& makeStep(Line& line, Step* owner, const StepSpec& spec) {
    if (spec.kind != StepKind::plain) checkKind(line, spec);
    const ClosureOps& ops = spec.ops != nullptr ? *spec.ops : kNoClosure;
    checkFits(line, ops);
    if (spec.kind == StepKind::shield) checkLimit(spec.count);
    if (spec.handler != nullptr) checkFits(line, *spec.handler);
    void* memory = line.arena.allocate(line, sizeOf(spec, ops));
    Step& step = *::new (memory) Step(spec.kind, &ops, line, owner);
    if (kNewBare || spec.source != nullptr) constructClosure(ops, closureOf(step), spec.source);
    if (ops.destroy != nullptr) step.flags |= kOwns;
    if (spec.handler != nullptr) {
        Undo undo{step};
        HandlerPart& part = handlerOf(step);
        part.ops = spec.handler;
        constructClosure(*spec.handler, &part + 1, spec.handlerSource);
        undo.owed = false;
        step.flags |= spec.handler->destroy != nullptr ? kHandler | kOwns : kHandler;
    }
    if (spec.kind != StepKind::plain) makePart(line, step, owner, spec);
    if (!spec.text.empty()) makeText(step, spec.text);
    return step;
}

/// A section without a handler, whose closure is copied as bytes.
inline bool isBareSection(const StepSpec& spec) noexcept {
    return spec.kind == StepKind::sync && spec.handler == nullptr && spec.ops->construct == nullptr;
}

inline std::size_t sectionSize(const StepSpec& spec) noexcept {
    return sizeof(Step) + sizeof(SyncPart) + spec.ops->room;
}

/// There is room for it.
inline Step& makeSection(Line& line, Step& owner, const StepSpec& spec) noexcept {
    const ClosureOps& ops = *spec.ops;
    void* const memory = line.arena.take(sectionSize(spec));
    Step& step = *::new (memory) Step(StepKind::sync, &ops, line, &owner);
    ::new (&step + 1) SyncPart(spec);
    constructClosure(ops, &partOf<SyncPart>(step) + 1, spec.source);
    return step;
}

inline void link(Line& line, Step*& level, Step& step) noexcept {
    if ((line.marks & (kError | kControl)) != 0) [[unlikely]] {
        step.next = level;  // it is never going to run
        level = &step;
        return;
    }
    (level == nullptr ? level : line.tail->next) = &step;
    line.tail = &step;
}

inline Step& appendTo(Step& owner, Step& step) noexcept {
    step.index = owner.count++;
    link(*owner.line, owner.next, step);
    return step;
}

inline Step& appendTo(Flow& flow, Step& step) noexcept {
    if (flow.first == nullptr) {
        flow.first = &step;
    } else {
        step.index = flow.tail->index + 1;
        flow.tail->next = &step;
    }
    flow.tail = &step;
    return step;
}

/// Of who adds in a body or handler.
inline void checkAdder(Line& line) {
    checkThreadOften(line.core(), "adding a step");
}

inline bool mayAdd(const Step& owner) noexcept {
    return owner.latches();
}
inline bool mayAdd(const Flow& flow) noexcept {
    return !flow.running.load(std::memory_order_relaxed);
}

/// An owner that adds a step owns what is in the arena from here on.
Line& adds(Step& owner) {
    if (!mayAdd(owner)) invalid(owner, "adding a step");
    markArena(owner);
    return *owner.line;
}

Flow& adds(Flow& flow) {
    if (!mayAdd(flow)) misuse("steps can't be added to a flow that is running");
    return flow;
}

inline std::size_t bareSize(const ClosureOps& ops) noexcept {
    return sizeof(Step) + ops.room;
}

/// A step with nothing but a body; there is room for it.
inline Step& makeBare(Line& line, Step* owner, const ClosureOps& ops) noexcept {
    return *::new (line.arena.take(bareSize(ops))) Step(StepKind::plain, &ops, line, owner);
}

}  // namespace

namespace {

[[gnu::noinline]] void addAny(Step& owner, const StepSpec& spec) {
    appendTo(owner, makeStep(adds(owner), &owner, spec));
}

}  // namespace

void Step::addStep(const StepSpec& spec) {
    Line& to = *line;
    checkAdder(to);
    if (!kNewSection || !isBareSection(spec) || !mayAdd(*this) ||
        !to.arena.fits(sectionSize(spec))) {
        return addAny(*this, spec);
    }
    markArena(*this);
    appendTo(*this, makeSection(to, *this, spec));
}

/// The one call of most bodies: what it seldom does is done elsewhere.
void* Step::addBare(const ClosureOps& ops) {
    Line& to = *line;
    checkAdder(to);
    if (!kNewBare) return closureOf(appendTo(*this, makeStep(adds(*this), this, {&ops})));
    if (!mayAdd(*this) || !to.arena.fits(bareSize(ops))) [[unlikely]] {
        return makeRoom(ops);
    }
    markArena(*this);
    return &appendTo(*this, makeBare(to, this, ops)) + 1;
}

/// Inlined it would give addBare() a larger frame: 10 instructions in repeat_step.
[[gnu::noinline]] void* Step::makeRoom(const ClosureOps& ops) {
    Line& to = adds(*this);
    to.arena.reserve(to, bareSize(ops));
    return addBare(ops);
}

IParallel& Step::addParallel(const StepSpec& spec) {
    checkAdder(*line);
    return partOf<ParallelPart>(appendTo(*this, makeStep(adds(*this), this, spec)));
}

inline bool ParallelPart::mayAdd() const noexcept {
    if (step.phase != Phase::queued) return false;
    if (maker == nullptr) return detail::mayAdd(*line.flow);
    return maker->latches();
}

inline void ParallelPart::link(Step& branch) noexcept {
    branch.index = count++;
    (first == nullptr ? first : last->next) = &branch;
    last = &branch;
}

namespace {

[[noreturn]] void tooLate() {
    misuse("a branch can't be added to a parallel that has started, or after its maker's body");
}

}  // namespace

void ParallelPart::addStep(const StepSpec& spec) {
    if (maker != nullptr) checkAdder(line);
    if (!mayAdd()) tooLate();
    link(makeStep(line, nullptr, spec));
}

void* ParallelPart::addBare(const ClosureOps& ops) {
    if (maker != nullptr) checkAdder(line);
    if (!mayAdd()) [[unlikely]]
        tooLate();
    if (!kNewBare) {
        Step& made = makeStep(line, nullptr, {&ops});
        link(made);
        return closureOf(made);
    }
    if (!line.arena.fits(bareSize(ops))) [[unlikely]] {
        line.arena.reserve(line, bareSize(ops));
        return addBare(ops);
    }
    Step& branch = makeBare(line, nullptr, ops);
    link(branch);
    return &branch + 1;
}

void RootFlow::addStep(const StepSpec& spec) {
    appendTo(flow(), makeStep(adds(flow()), nullptr, spec));
}

void* RootFlow::addBare(const ClosureOps& ops) {
    Flow& flow = this->flow();
    if (!kNewBare) return closureOf(appendTo(flow, makeStep(adds(flow), nullptr, {&ops})));
    if (!mayAdd(flow) || !flow.arena.fits(bareSize(ops))) [[unlikely]] {
        return makeRoom(ops);
    }
    return &appendTo(flow, makeBare(flow, nullptr, ops)) + 1;
}

[[gnu::noinline]] void* RootFlow::makeRoom(const ClosureOps& ops) {
    adds(flow()).arena.reserve(flow(), bareSize(ops));
    return addBare(ops);
}

IParallel& RootFlow::addParallel(const StepSpec& spec) {
    Step& step = appendTo(flow(), makeStep(adds(flow()), nullptr, spec));
    return partOf<ParallelPart>(step);
}

}  // namespace steptree::detail
