#pragma once

#include <cstdint>
#include <string_view>

#include "budget.hpp"
#include "step.hpp"

/// Loops.
namespace steptree::detail {

bool iterate(Line& line, Step& loop, Budget& budget) noexcept;
Step* findLoop(Step& from, std::string_view label) noexcept;
/// The loop of that number around the step, if it is still open.
Step* findLoop(Step& from, std::uint64_t number) noexcept;
/// What tells the loop from those that were or will be in its place: signals are kept, and thrown
/// wherever their owner likes.
std::uint64_t numberLoop(Step& loop) noexcept;

}  // namespace steptree::detail
