#include <algorithm>

#include "adder.hpp"
#include "enter.hpp"
#include "extras.hpp"
#include "fixed.hpp"
#include "observe.hpp"
#include "run.hpp"
#include "sequence.hpp"
#include "timer.hpp"
#include "unwind.hpp"

/// Steps that a description has parts for. Each part's step is queued when it is to open, and in
/// the place of the one before.
///
/// A part in whose place another one stands, or that has a limit, a handler of its own or values
/// that are bound, is the only one of a sequence, and has no element in paths.
namespace steptree::detail {

namespace {

static_assert(sizeof(Flow) + kSequenceSize + sizeof(Step) <= Flow::kSize,
              "a flow that is a sequence of bodies is one block");

/// Calls bodies, each in its place in the list, up to the first that leaves anything; gives the
/// place behind it. One that leaves nothing leaves the step and its line as the next one finds
/// them.
[[gnu::noinline]] const Definition* const* callParts(const Flow& flow, const Line& line, Step& step,
                                                     const Definition* const* next,
                                                     const Definition* const* end,
                                                     CallArgs& args) noexcept {
    const std::uint16_t flags = step.flags;
    for (;;) {
        enterForGood(step, *step.ops, sourceOf(*next), args);  // isOver() looks
        ++next;
        if (line.marks != 0 || step.flags != flags || mayBeOver(flow)) break;
        if (next == end || !(*next)->bare) break;
        ++step.index;
        step.ops = (*next)->spec.ops;
    }
    return next;
}

/// Parts that are bodies alone run one after the other, all in the place of one step. That of the
/// first one is free, and there is room for it.
template <bool observed>
Answer runParts(Line& line, Step& owner, StepsPart& part,
                const SequenceDefinition& sequence) noexcept {
    const Flow& flow = *line.flow;
    Budget& budget = budgetOf(line);
    const std::uint16_t flags = sequence.hidden ? kHidden : 0;
    Step& step =
        *::new (line.arena.take(sizeof(Step))) Step(StepKind::plain, nullptr, line, &owner);
    step.flags = flags;
    CallArgs args;
    do {
        if (isPutBack(line, budget)) {
            line.top = &owner;
            return Answer::pending;
        }
        const Definition* const* const now = sequence.parts + part.opened;
        step.ops = (*now)->spec.ops;
        step.index = part.opened;
        openPlain(line, step);
        if (line.values != nullptr) [[unlikely]] {
            args.values = line.values;
            if (!step.ops->wantsValues && forgetValues(line) != Entered::on) return Answer::pending;
        }
        const std::uint32_t most =
            observed ? 1 : std::min(budget.left(), sequence.count - part.opened);
        if (observed && isObserved(flow)) tellBody(line, step);
        const auto* const next = callParts(flow, line, step, now, now + most, args);
        const auto called = static_cast<std::uint32_t>(next - now);
        budget.spend(called);
        part.opened += called;
        if (flags == 0) owner.count = part.opened;
        if (isOver(flow, line, step)) [[unlikely]]
            return Answer::pending;
        if (!isOk(line, step) || step.next != nullptr || step.flags != flags) {
            const Answer left = leaveInTurn(line, step);
            return left == Answer::ended ? Answer::again : left;
        }
    } while (part.opened < sequence.count && sequence.parts[part.opened]->bare);
    line.top = &owner;
    return part.opened < sequence.count ? Answer::again : Answer::ended;
}

/// The first part gets what the step finds, or what is bound. Ready: it is to open; else the step
/// may be gone.
[[gnu::noinline]] Answer prepare(Line& line, Step& step,
                                 const SequenceDefinition& sequence) noexcept {
    ErrorRef error;
    const Entered went = enter(step, error, [&] {
        if (sequence.limited && sequence.code.empty()) armStep(step, sequence.limit);
        if (!sequence.code.empty()) armStep(step, sequence.limit, sequence.code);
        if (sequence.bind == nullptr) return;
        line.makeValues();
        sequence.bind(sequence, *line.values);
    });
    if (went == Entered::threw) return unwind(line, std::move(error));
    return went == Entered::cancelled ? Answer::pending : Answer::ready;
}

inline bool isBare(const SequenceDefinition& sequence) noexcept {
    return !sequence.limited && sequence.bind == nullptr;
}

/// What the part before had in the arena is given back; but what is pinned.
inline void clearPart(Line& line, const Step& step, const StepsPart& part) noexcept {
    if (part.opened != 0) line.arena.reset(line.core(), std::max(part.mark, step.mark));
}

/// False: openPart() is to say why.
inline bool makesRoom(Line& line, std::size_t size) noexcept {
    if (line.arena.fits(size)) [[likely]]
        return true;
    if (fixedOf(*line.flow) != nullptr) return false;
    try {
        line.arena.reserve(line, size);
        return true;
    } catch (...) {
        return false;
    }
}

/// The same as openPart(), for one that is nothing but a sequence. There is room for it. What it
/// has in the arena goes with its owner's part.
inline Step& openSequence(Line& line, Step& owner, const Definition& part, std::uint16_t flags,
                          std::uint32_t index) noexcept {
    Step& step = makeSequence(line.arena.take(kSequenceSize), line, &owner, part);
    step.flags = flags;
    step.index = index;
    step.phase = Phase::inner;
    line.top = &step;
    partOf<StepsPart>(step).mark = line.arena.mark();
    return step;
}

/// Whether it goes on with what comes after its part, which has closed.
inline bool goesOn(const Step* owner) noexcept {
    return owner != nullptr && owner->kind == StepKind::steps && owner->next == nullptr &&
           (owner->flags & (kDefers | kShelters | kResumes)) == 0;
}

/// Sequences that are parts of sequences open and close here, one after the other.
template <bool observed>
Answer nextPart(Line& line, Step& step) noexcept {
    Step* at = &step;
    for (std::uint32_t depth = 0;;) {
        StepsPart& part = partOf<StepsPart>(*at);
        const SequenceDefinition& sequence = sequenceOf(*at);
        if (part.opened < sequence.count) {
            clearPart(line, *at, part);
            const Definition& next = *sequence.parts[part.opened];
            if (kBareParts && next.bare && makesRoom(line, sizeof(Step))) {
                const Answer came = runParts<observed>(line, *at, part, sequence);
                if (came != Answer::ended) return came;
            } else {
                ++part.opened;
                const std::uint16_t flags = sequence.hidden ? kHidden : 0;
                const std::uint32_t index = at->count;
                at->count += sequence.hidden ? 0 : 1;
                if (!kInnerSteps || !next.sequence || !makesRoom(line, kSequenceSize))
                    return openPart(line, *at, next, flags, index);
                at = &openSequence(line, *at, next, flags, index);
                ++depth;
                const auto& inner = static_cast<const SequenceDefinition&>(next);
                if (isBare(inner)) [[likely]]
                    continue;
                const Answer came = prepare(line, *at, inner);
                if (came != Answer::ready) return came;
                partOf<StepsPart>(*at).mark = line.arena.mark();
                continue;
            }
        }
        Step* const owner = at->parent;
        if (depth == 0) {
            const bool ends = !kInnerSteps || !goesOn(owner);
            if (ends && at == &step) return Answer::ended;
            pop(line, *at);
            if (ends || cancelled(line)) return Answer::again;
        } else {
            --depth;
            pop(line, *at);
        }
        at = owner;
    }
}

template <bool observed>
Answer openSteps(Line& line, Step& step) noexcept {
    const SequenceDefinition& sequence = sequenceOf(step);
    markArena(step);
    const Answer came = isBare(sequence) ? Answer::ready : prepare(line, step, sequence);
    if (came != Answer::ready) return came;
    partOf<StepsPart>(step).mark = line.arena.mark();
    return nextPart<observed>(line, step);
}

/// What a handler adds is not followed by parts.
bool dropParts(Line&, Step& step, ErrorRef&) noexcept {
    partOf<StepsPart>(step).opened = sequenceOf(step).count;
    return false;
}

/// One that wraps a part is what that is while it's open; with a limit for a sequence it's that.
const char* nameOfSteps(Step& step) noexcept {
    const SequenceDefinition& sequence = sequenceOf(step);
    if (!sequence.hidden) return "steps";
    const StepSpec& part = sequence.parts[0]->spec;
    const bool isOwn = sequence.limited && part.kind == StepKind::steps && part.handler == nullptr;
    return isOwn && !definitionOf<SequenceDefinition>(part).hidden ? "steps" : "step";
}

/// One that binds values is what they are bound to.
bool endsInSteps(Step& step) noexcept {
    const SequenceDefinition& sequence = sequenceOf(step);
    if ((step.flags & kHandler) != 0 || sequence.bind == nullptr) return false;
    return partOf<StepsPart>(step).opened == sequence.count;
}

}  // namespace

extern constexpr Kind stepsKind{.size = sizeof(StepsPart),
                                .takesValues = true,
                                .make = &makePart<StepsPart>,
                                .open = &openSteps<false>,
                                .next = &nextPart<false>,
                                .openObserved = &openSteps<true>,
                                .nextObserved = &nextPart<true>,
                                .failed = &dropParts,
                                .endsInside = &endsInSteps,
                                .nameOf = &nameOfSteps};

}  // namespace steptree::detail
