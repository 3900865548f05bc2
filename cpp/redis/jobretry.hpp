#pragma once

#include <cstdint>

#include "steptree/error.hpp"
#include "steptree/retry.hpp"

namespace steptree::detail::redis {

/// How long the job waits after its attempt of that number has failed, in milliseconds; -1: there
/// is no other. `chance`: from 0 to 1. Throws what `on` throws.
std::int64_t waitAfter(const RetryOptions& options, std::int64_t attempt, const StepError& error,
                       double chance);

}  // namespace steptree::detail::redis
