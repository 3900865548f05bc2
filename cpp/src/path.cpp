#include <charconv>

#include "engine.hpp"

/// The way to a step as crumbs, which cost little to leave and become text when somebody asks.
namespace steptree::detail {

namespace {

constexpr std::uint32_t kLargest = (1U << Crumbs::kKindShift) - 1;

}  // namespace

bool leaveCrumbs(Step& from, Crumbs& crumbs) noexcept {
    std::size_t count = 0;
    Step* first = from.kind == StepKind::lock ? from.parent : &from;
    for (Step* step = first; step != nullptr; ++count) {
        std::uint64_t number = step->index;
        std::uint32_t kind = Crumbs::step;
        Step* const outer = outwards(*step);
        if (step->kind == StepKind::iteration) {
            number = static_cast<std::uint64_t>(partOf<LoopPart>(*outer).iteration.turn);
            kind = Crumbs::iteration;
        } else if (step->parent == nullptr && step->line->isBranch()) {
            number = static_cast<Branch&>(*step->line).index;
            kind = Crumbs::branch;
        } else if ((step->flags & kNamed) != 0) {
            return false;
        }
        if (count == Crumbs::kMost || number > kLargest) return false;
        crumbs.at[count] = kind << Crumbs::kKindShift | static_cast<std::uint32_t>(number);
        step = outer;
    }
    crumbs.count = static_cast<std::uint8_t>(count);
    return true;
}

std::string textOf(const Crumbs& crumbs) {
    char text[Crumbs::kMost * 12];
    char* end = text;
    for (std::size_t i = crumbs.count; i-- > 0;) {
        const std::uint32_t kind = crumbs.at[i] >> Crumbs::kKindShift;
        if (kind == Crumbs::iteration) *end++ = '#';
        if (kind == Crumbs::branch) *end++ = '|';
        end = std::to_chars(end, text + sizeof text, crumbs.at[i] & kLargest).ptr;
        if (i > 0) *end++ = '/';
    }
    return {text, end};
}

}  // namespace steptree::detail
