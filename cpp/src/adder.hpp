#pragma once

#include "step.hpp"

/// Adding steps.
namespace steptree::detail {

inline constexpr const char* kAdding = "adding a step";

/// A step that is in no level yet. Throws what the closures' constructors throw, or bad_alloc.
Step& makeStep(Line& line, Step* owner, const StepSpec& spec);
/// The last of its owner's level from now on. Throws if that may not add.
Step& addTo(Step& owner, const StepSpec& spec);
Step& addTo(Flow& flow, const StepSpec& spec);

/// A step for the level of `owner`, whose body it runs. The body is given its number, from 1; its
/// path element is `index`. Throws bad_alloc.
Step& newRound(Step& owner, std::uint32_t index);

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

}  // namespace steptree::detail
