#pragma once

#include <chrono>

namespace steptree::detail::inspecting {

/// Milliseconds, with fractions, on a clock that only goes forward; the same for all threads.
inline double realTime() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

}  // namespace steptree::detail::inspecting
