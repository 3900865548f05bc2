#pragma once

#include <chrono>

namespace steptree::detail::redis {

/// How long a lease counts here, of guards, calls and jobs: from when Redis was asked for it. A
/// part is left out, in which nothing is done any more: for timers that are late, and clocks that
/// go at different rates.
constexpr std::chrono::milliseconds lifeOf(std::chrono::milliseconds lease) noexcept {
    return lease * 9 / 10;
}

}  // namespace steptree::detail::redis
