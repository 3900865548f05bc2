#pragma once

#include "step.hpp"

/// What user code has left in a step decides whether its line goes on.
namespace steptree::detail {

/// Decides what the body has left behind.
Answer settle(Line& line, Step& step) noexcept;
/// The body of the line's top has returned. Whether what it has left ends the step and waits for
/// timers that are due: then the turn is over. See kLooks.
bool postpones(Line& line, Step& step) noexcept;
/// What its body has left is settled in the line's next turn.
void postpone(Line& line, Step& step) noexcept;

}  // namespace steptree::detail
