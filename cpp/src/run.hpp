#pragma once

#include "step.hpp"

/// A line's turn.
namespace steptree::detail {

/// Goes on after a closing of this line's own turn.
bool goOn(Line& line, Line* recovered) noexcept;

}  // namespace steptree::detail
