#pragma once

#include "sequence.hpp"
#include "step.hpp"

/// Adding steps.
namespace steptree::detail {

inline constexpr const char* kAdding = "adding a step";

/// A step that is in no level yet. Throws what the closures' constructors throw, or bad_alloc.
Step& makeStep(Line& line, Step* owner, const StepSpec& spec);
/// The last of its owner's level from now on. Throws if that may not add.
Step& addTo(Step& owner, const StepSpec& spec);
Step& addTo(Flow& flow, const StepSpec& spec);

/// The same of a description, which is counted.
void addCounted(Flow& flow, const Definition& of);
void addDefined(Flow& flow, const Definition& definition);

/// Queues the step of a description as the only one in its owner, which is the line's top.
Answer openPart(Line& line, Step& owner, const Definition& part, std::uint16_t flags,
                std::uint32_t index = 0) noexcept;

inline bool mayAdd(const Flow& flow) noexcept {
    return !flow.running.load(std::memory_order_relaxed);
}

inline std::size_t bareSize(const ClosureOps& ops) noexcept {
    return sizeof(Step) + ops.room;
}

/// A step with nothing but a body; there is room for it.
inline Step& makeBare(Line& line, Step* owner, const ClosureOps& ops) noexcept {
    return *::new (line.arena.take(bareSize(ops))) Step(StepKind::plain, &ops, line, owner);
}

/// A step that refers to a description which is bare; there is room for it.
inline Step& makeDefined(void* place, Line& line, Step* owner, const Definition& of) noexcept {
    Step& step = *::new (place) Step(StepKind::plain, of.spec.ops, line, owner);
    ::new (&step + 1) const Definition*(&of);
    return step;
}
inline constexpr std::size_t kDefinedSize = sizeof(Step) + sizeof(const Definition*);

/// The step of a part of a description. Throws as makeStep().
inline Step& makePartOf(Line& line, Step* owner, const Definition& part) {
    if (kBareParts && part.bare)
        return makeDefined(line.arena.allocate(line, kDefinedSize), line, owner, part);
    if (kInnerSteps && part.sequence)
        return makeSequence(line.arena.allocate(line, kSequenceSize), line, owner, part);
    return makeStep(line, owner, part.spec);
}

/// Of the step that enters a flow, which counts its description.
inline Step& count(Step& step, const Definition& of) noexcept {
    step.ops = of.counted;
    step.flags = kOwns | kCounts;
    retain(of);
    return step;
}

/// That of one that is a body alone; there is room for it.
inline Step& makeCounted(Line& line, Step* owner, const Definition& of) noexcept {
    return count(makeDefined(line.arena.take(kDefinedSize), line, owner, of), of);
}

inline bool isBodyFor(const Definition& of, const Line& line) noexcept {
    return kBareParts && of.bare && line.arena.fits(kDefinedSize);
}
inline bool isSequenceFor(const Definition& of, const Line& line) noexcept {
    return kInnerSteps && of.sequence && line.arena.fits(kSequenceSize);
}

}  // namespace steptree::detail
