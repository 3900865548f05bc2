#pragma once

#include "enter.hpp"
#include "steptree/retry.hpp"

/// Whether an error is worth another attempt.
namespace steptree::detail {

/// What `on` says of the error of an attempt of that step. What its code throws takes the place of
/// the error.
Entered askAgain(Step& step, const RetryOn& on, ErrorRef& error, RetryDecision& decision) noexcept;

}  // namespace steptree::detail
