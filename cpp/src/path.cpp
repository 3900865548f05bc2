#include <charconv>

#include "engine.hpp"

/// The way to a step as crumbs, which cost little to leave and become text when somebody asks.
namespace steptree::detail {

namespace {

constexpr std::uint32_t kLargest = (1U << Crumbs::kKindShift) - 1;

}  // namespace

std::uint8_t leaveCrumbs(Step& from, Crumbs& crumbs) noexcept {
    std::size_t count = 0;
    Step* const first = from.kind == StepKind::lock ? from.parent : &from;
    for (Step* step = first; step != nullptr;) {
        if (count == Crumbs::kMost) return 0;
        std::uint64_t number = step->index;
        std::uint32_t kind = Crumbs::step;
        Step* const outer = outwards(*step);
        if (step->kind == StepKind::iteration) [[unlikely]] {
            number = static_cast<std::uint64_t>(step->turn);
            kind = Crumbs::iteration;
        } else if (step->parent == nullptr && step->line->isBranch()) [[unlikely]] {
            number = static_cast<Branch&>(*step->line).index;
            kind = Crumbs::branch;
        } else if (step->kind == StepKind::deferred) [[unlikely]] {
            kind = Crumbs::deferred;
        } else if ((step->flags & (kNamed | kAttempt)) != 0) [[unlikely]] {
            if ((step->flags & kNamed) != 0) return 0;
            kind = Crumbs::iteration;
        }
        if (number > kLargest) return 0;
        crumbs.at[count++] = kind << Crumbs::kKindShift | static_cast<std::uint32_t>(number);
        step = outer;
    }
    return static_cast<std::uint8_t>(count);
}

std::string textOf(const Crumbs& crumbs, std::size_t count) {
    char text[Crumbs::kMost * 12];
    char* end = text;
    for (std::size_t i = count; i-- > 0;) {
        const std::uint32_t kind = crumbs.at[i] >> Crumbs::kKindShift;
        if (kind == Crumbs::iteration) *end++ = '#';
        if (kind == Crumbs::branch) *end++ = '|';
        if (kind == Crumbs::deferred) *end++ = '~';
        end = std::to_chars(end, text + sizeof text, crumbs.at[i] & kLargest).ptr;
        if (i > 0) *end++ = '/';
    }
    return {text, end};
}

}  // namespace steptree::detail
