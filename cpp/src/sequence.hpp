#pragma once

#include "step.hpp"

/// A step that a description has parts for, made from that.
namespace steptree::detail {

struct StepsPart {
    StepsPart(const Step&, const StepSpec&) noexcept {}
    StepsPart() noexcept = default;

    std::uint32_t opened = 0;
    std::uint32_t mark = 0;  // from there on the part that runs has the arena
};

inline constexpr std::size_t kSequenceSize =
    sizeof(Step) + sizeof(StepsPart) + sizeof(const Definition*);

/// Of a description that is nothing but a sequence; there is room for it.
inline Step& makeSequence(void* place, Line& line, Step* owner, const Definition& of) noexcept {
    Step& step = *::new (place) Step(StepKind::steps, of.spec.ops, line, owner);
    auto* const part = ::new (&step + 1) StepsPart;
    ::new (part + 1) const Definition*(&of);
    return step;
}

inline const SequenceDefinition& sequenceOf(Step& step) noexcept {
    return static_cast<const SequenceDefinition&>(definitionAt(&partOf<StepsPart>(step) + 1));
}

}  // namespace steptree::detail
