#include "adder.hpp"

#include <cstring>

#include "enter.hpp"
#include "extras.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "foreign.hpp"
#include "latch.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "section.hpp"
#include "unwind.hpp"

/// The calls that add a step. An owner may add in its body or handler, a root while it is idle.
namespace steptree::detail {

namespace {

static_assert(sizeof(StepSpec) == 9 * sizeof(void*));

constexpr ClosureOps kNoClosure{0, 0, false, nullptr, nullptr, nullptr, 0};

/// A loop has it behind its label.
bool hasNameApart(const StepSpec& spec) noexcept {
    return isLoop(spec.kind) && spec.of.name != nullptr && !spec.of.name->empty();
}

std::size_t sizeOf(std::string_view text) noexcept {
    return rounded(sizeof(NamePart) + text.size());
}

std::size_t sizeOf(const Kind& kind, const StepSpec& spec, const ClosureOps& ops) noexcept {
    std::size_t size = sizeof(Step) + kind.size + ops.room;
    if (spec.handler != nullptr) size += sizeof(HandlerPart) + spec.handler->room;
    if (!spec.text.empty()) size += sizeOf(spec.text);
    if (hasNameApart(spec)) size += sizeOf(*spec.of.name);
    return size;
}

/// Destroys the body again if what follows it can't be made.
struct Undo {
    Step& step;
    void* closure;
    bool owed = true;
    ~Undo() {
        if (owed) destroyClosure(&step, *step.ops, closure);
    }
};

void makeText(Step& step, std::string_view text, StepFlag flag) noexcept {
    void* const place = flag == kNamed ? placeOfName(step) : behindHandler(step);
    auto* part = ::new (place) NamePart{static_cast<std::uint32_t>(text.size())};
    char* to = reinterpret_cast<char*>(part + 1);
    std::memcpy(to, text.data(), text.size());
    step.flags |= flag;
}

inline const Kind& kindOf(const StepSpec& spec) noexcept {
    return spec.kind == StepKind::other ? *spec.of.kind
                                        : *kKinds[static_cast<std::size_t>(spec.kind)];
}

/// A section without a handler, whose closure is copied as bytes. It is made here, not asked of its
/// kind: kNewSection, the row lock.
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
    makePart<SyncPart>(step, spec);
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

/// An owner that adds a step owns what is in the arena from here on.
Line& adds(Step& owner) {
    if (!owner.latches()) invalid(owner, kAdding);
    markArena(owner);
    return *owner.line;
}

Flow& adds(Flow& flow) {
    if (!mayAdd(flow)) {
        misuse(flow.tool->alive() ? "steps can't be added to a flow that is running"
                                  : "steps can't be added to a flow whose tool is gone");
    }
    return flow;
}

/// The step of a description that is a sequence. There is room for it.
inline Step& makeCountedSequence(Line& line, Step* owner, const Definition& of) noexcept {
    return count(makeSequence(line.arena.take(kSequenceSize), line, owner, of), of);
}

}  // namespace

Step& makeStep(Line& line, Step* owner, const StepSpec& spec) {
    const Kind& kind = kindOf(spec);
    if (kind.check != nullptr) kind.check(line, spec);
    const ClosureOps& ops = spec.ops != nullptr ? *spec.ops : kNoClosure;
    checkFits(line, ops);
    if (spec.handler != nullptr) checkFits(line, *spec.handler);
    const bool isOther = spec.kind == StepKind::other;
    const std::size_t front = isOther ? sizeof(const Kind*) : 0;
    void* memory = line.arena.allocate(line, front + sizeOf(kind, spec, ops));
    Step& step = *::new (static_cast<char*>(memory) + front) Step(spec.kind, &ops, line, owner);
    if (isOther) inFrontOf(step) = &kind;
    char* const closure = reinterpret_cast<char*>(&step + 1) + kind.size;
    if (kNewBare || spec.source != nullptr) constructClosure(ops, closure, spec.source);
    if (ops.destroy != nullptr) step.flags |= kOwns;
    if (spec.handler != nullptr) {
        Undo undo{step, closure};
        auto& part = *reinterpret_cast<HandlerPart*>(closure + ops.room);
        part.ops = spec.handler;
        constructClosure(*spec.handler, &part + 1, spec.handlerSource);
        undo.owed = false;
        step.flags |= spec.handler->destroy != nullptr ? kHandler | kOwns : kHandler;
    }
    if (kind.make != nullptr) kind.make(step, spec);
    if (!spec.text.empty()) makeText(step, spec.text, kind.isLoop ? kLabelled : kNamed);
    if (hasNameApart(spec)) [[unlikely]]
        makeText(step, *spec.of.name, kNamed);
    return step;
}

[[gnu::noinline]] Step& addTo(Step& owner, const StepSpec& spec) {
    return appendTo(owner, makeStep(adds(owner), &owner, spec));
}

Step& addTo(Flow& flow, const StepSpec& spec) {
    return appendTo(flow, makeStep(adds(flow), nullptr, spec));
}

Answer openPart(Line& line, Step& owner, const Definition& part, std::uint16_t flags,
                std::uint32_t index) noexcept {
    try {
        Step& step = makePartOf(line, &owner, part);
        step.flags |= flags;
        step.index = index;
        owner.next = &step;
        return Answer::again;
    } catch (...) {
        return unwind(line, toRecord(std::current_exception(), owner));
    }
}

void Step::addStep(const StepSpec& spec) {
    Line& to = *line;
    checkThreadOften(to.core(), kAdding);
    if (!kNewSection || !isBareSection(spec) || !latches() || !to.arena.fits(sectionSize(spec))) {
        addTo(*this, spec);
        return;
    }
    markArena(*this);
    appendTo(*this, makeSection(to, *this, spec));
}

/// The one call of most bodies: what it seldom does is done elsewhere.
void* Step::addBare(const ClosureOps& ops) {
    Line& to = *line;
    checkThreadOften(to.core(), kAdding);
    if (!kNewBare) return closureOf(addTo(*this, {&ops}));
    if (!latches() || !to.arena.fits(bareSize(ops))) [[unlikely]] {
        return makeRoom(ops);
    }
    markArena(*this);
    return &appendTo(*this, makeBare(to, this, ops)) + 1;
}

const void* Step::addPair(const PairOps& ops, const void* pair) noexcept {
    Line& to = *line;
    const bool isOff = kChecksOften && !isHere(to.core());
    if (isOff || !kNewBare || !latches() || !to.arena.fits(bareSize(ops))) [[unlikely]] {
        return StepSink::addPair(ops, pair);
    }
    markArena(*this);
    void* const closure = &appendTo(*this, makeBare(to, this, ops)) + 1;
    std::memcpy(closure, pair, kPair);
    return nullptr;
}

/// Inlined it would give addBare() a larger frame: 10 instructions in repeat_step.
[[gnu::noinline]] void* Step::makeRoom(const ClosureOps& ops) {
    Line& to = adds(*this);
    to.arena.reserve(to, bareSize(ops));
    return addBare(ops);
}

[[gnu::noinline]] static void addCounted(Step& owner, const Definition& of) {
    if (!isSequenceFor(of, *owner.line)) {
        addTo(owner, of.entering());
    } else {
        appendTo(owner, makeCountedSequence(adds(owner), &owner, of));
    }
}

[[gnu::noinline]] void addCounted(Flow& flow, const Definition& of) {
    if (!isSequenceFor(of, flow)) {
        addTo(flow, of.entering());
    } else {
        appendTo(flow, makeCountedSequence(adds(flow), nullptr, of));
    }
}

void Step::addDefined(const Definition& definition) {
    Line& to = *line;
    checkThreadOften(to.core(), kAdding);
    if (!latches() || !isBodyFor(definition, to)) return addCounted(*this, definition);
    markArena(*this);
    appendTo(*this, makeCounted(to, this, definition));
}

void RootFlow::addStep(const StepSpec& spec) {
    addTo(asFlow(*head_), spec);
}

void addDefined(Flow& flow, const Definition& definition) {
    if (!mayAdd(flow) || !isBodyFor(definition, flow)) return addCounted(flow, definition);
    appendTo(flow, makeCounted(flow, nullptr, definition));
}

void RootFlow::addDefined(const Definition& definition) {
    detail::addDefined(asFlow(*head_), definition);
}

namespace {

[[gnu::noinline]] void* addBareWithRoom(Flow& flow, const ClosureOps& ops) {
    adds(flow).arena.reserve(flow, bareSize(ops));
    return &appendTo(flow, makeBare(flow, nullptr, ops)) + 1;
}

}  // namespace

void* RootFlow::addBare(const ClosureOps& ops) {
    Flow& flow = asFlow(*head_);
    if (!kNewBare) return closureOf(addTo(flow, {&ops}));
    if (!mayAdd(flow) || !flow.arena.fits(bareSize(ops))) [[unlikely]] {
        return addBareWithRoom(flow, ops);
    }
    return &appendTo(flow, makeBare(flow, nullptr, ops)) + 1;
}

const void* RootFlow::addPair(const PairOps& ops, const void* pair) noexcept {
    Flow& flow = asFlow(*head_);
    if (!kNewBare || !mayAdd(flow) || !flow.arena.fits(bareSize(ops))) [[unlikely]] {
        return StepSink::addPair(ops, pair);
    }
    void* const closure = &appendTo(flow, makeBare(flow, nullptr, ops)) + 1;
    std::memcpy(closure, pair, kPair);
    return nullptr;
}

}  // namespace steptree::detail
