#pragma once

#include "step.hpp"

/// Errors and loop control, on their way outwards.
namespace steptree::detail {

/// Closes from the line's top outwards because of an error. Returns the line that recovered, null
/// if the flow has ended or is to be cancelled.
Line* unwind(Line& line, ErrorRef error) noexcept;
Line* unwindControl(Line& line) noexcept;
/// An open step fails by itself, not in its line's turn.
void failStep(Step& step, ErrorRef error) noexcept;

}  // namespace steptree::detail
