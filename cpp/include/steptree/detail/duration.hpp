#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "steptree/abi.hpp"

namespace steptree::detail {

inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kNoDuration = std::numeric_limits<std::int64_t>::min();

/// Whole milliseconds, rounded up; kForever for what is further away than a timer can say, negative
/// or kNoDuration for what is no duration.
template <class T>
requires std::is_arithmetic_v<T> std::int64_t wholeMilliseconds(T ms)
noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(ms)) return kNoDuration;
        if (ms <= T(-1)) return ms < T(-9.0e18) ? kNoDuration : static_cast<std::int64_t>(ms);
        if (ms < T(0)) return -1;
        return ms >= T(9.0e18) ? kForever : static_cast<std::int64_t>(std::ceil(ms));
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::int64_t)) {
        return ms > static_cast<T>(kForever) ? kForever : static_cast<std::int64_t>(ms);
    } else {
        return static_cast<std::int64_t>(ms);
    }
}

template <class R, class P>
std::int64_t wholeMilliseconds(std::chrono::duration<R, P> time) noexcept {
    if constexpr (std::is_floating_point_v<R>) {
        return wholeMilliseconds(std::chrono::duration<double, std::milli>(time).count());
    } else {
        const double near = std::chrono::duration<double, std::milli>(time).count();
        if (near < 0) return wholeMilliseconds(near);
        if (near > 9.0e15) return kForever;
        return std::chrono::ceil<std::chrono::duration<std::int64_t, std::milli>>(time).count();
    }
}

}  // namespace steptree::detail
