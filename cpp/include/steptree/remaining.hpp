#pragma once

#include <chrono>

#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// What `asi.remaining()` tells, as a duration; milliseconds::max() for no timeout.
/// Guide: docs/deadlines.md#how-much-time-is-left
///
///     std::chrono::milliseconds left = remaining(asi);
inline std::chrono::milliseconds remaining(const IAsyncSteps& asi) {
    return std::chrono::milliseconds(asi.remaining());
}

}  // namespace steptree
