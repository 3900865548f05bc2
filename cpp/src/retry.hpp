#pragma once

#include "step.hpp"

/// Attempts.
namespace steptree::detail {

/// Begins with the first attempt. False: the line's turn is over.
bool startRetry(Line& line, Step& step) noexcept;
/// It ends with ok.
void endRetry(Step& step) noexcept;
/// An error has arrived at the line's top. True: that tries again, or the flow is to be cancelled;
/// else `error` is what goes on.
bool tryAgain(Line& line, Step& step, ErrorRef& error) noexcept;

}  // namespace steptree::detail
