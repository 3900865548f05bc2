#pragma once

#include <chrono>

#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// What `asi.remaining()` tells, as a duration; milliseconds::max() for no timeout. [cleanup-80]
inline std::chrono::milliseconds remaining(const IAsyncSteps& asi) {
    return std::chrono::milliseconds(asi.remaining());
}

}  // namespace steptree
