#pragma once

#include "frame.hpp"
#include "steptree/outcome.hpp"

/// How a step closes, for its deferred functions and its guard.
namespace steptree::detail {

/// Moves the values of an ok there. Gives where they are to be put back; null: it has none.
Results* tellOutcome(Outcome& into, Flow& flow, Why why, Results* values) noexcept;

}  // namespace steptree::detail
