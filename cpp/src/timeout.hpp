#pragma once

#include "tree.hpp"

/// What happens when a timer of a step has fired.
namespace steptree::detail {

/// Of a step's own timer: raises Timeout at the step.
void fireTimeout(TimerNode* node) noexcept;
/// Of a shelter: its limit or its grace is over.
void fireShelter(TimerNode* node) noexcept;

}  // namespace steptree::detail
