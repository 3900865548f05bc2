#pragma once

#include "closing.hpp"

/// Calls of handlers.
namespace steptree::detail {

/// Again: it has added steps. Ended: `unwinding` is what the step ends with, an ok or what goes on
/// to the parent. Pending: the flow is to be cancelled.
Answer handle(Line& line, Step& step, Unwinding& unwinding) noexcept;

}  // namespace steptree::detail
