#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "steptree/abi.hpp"
#include "steptree/error.hpp"

namespace steptree::detail {

inline constexpr std::int64_t kForever = INT64_MAX;
inline constexpr std::int64_t kNoDuration = INT64_MIN;

[[noreturn, gnu::cold, gnu::noinline]] inline void refuseTime(const char* call, std::int64_t ms) {
    throw StepError(errors::InternalError,
                    call + (": expected at least 0 ms, got " +
                            (ms == kNoDuration ? std::string("no number") : std::to_string(ms))));
}

/// Whole milliseconds, rounded up; kForever for what is further away than a timer can say, negative
/// or kNoDuration for what is no duration.
template <class T>
requires std::is_arithmetic_v<T> std::int64_t wholeMilliseconds(T ms)
noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        if (!(ms <= 0 || ms > 0)) return kNoDuration;
        if (ms <= T(-1)) return ms < T(-9.0e18) ? kNoDuration : static_cast<std::int64_t>(ms);
        if (ms < T(0)) return -1;
        if (ms >= T(9.0e18)) return kForever;
        const auto below = static_cast<std::int64_t>(ms);
        return below + (static_cast<T>(below) < ms ? 1 : 0);
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::int64_t)) {
        return ms > static_cast<T>(kForever) ? kForever : static_cast<std::int64_t>(ms);
    } else {
        return static_cast<std::int64_t>(ms);
    }
}

/// A std::chrono::duration, or what looks like one: <chrono> is left to those who use it.
template <class T>
concept Duration = std::is_arithmetic_v<typename T::rep> && requires(const T& time) {
    {T::period::num / T::period::den};
    {time.count()};
};

constexpr std::intmax_t commonDivisor(std::intmax_t one, std::intmax_t other) noexcept {
    return other == 0 ? one : commonDivisor(other, one % other);
}

template <Duration T>
std::int64_t wholeMilliseconds(T time) noexcept {
    using Period = typename T::period;
    constexpr std::intmax_t common = commonDivisor(1000, Period::den);
    constexpr std::intmax_t den = Period::den / common;
    constexpr std::intmax_t num = Period::num * (1000 / common);  // num/den is one in milliseconds
    const double near =
        static_cast<double>(time.count()) * static_cast<double>(num) / static_cast<double>(den);
    if constexpr (std::is_floating_point_v<typename T::rep>) {
        return wholeMilliseconds(near);
    } else {
        if (near < 0) return wholeMilliseconds(near);
        if (near > 9.0e15) return kForever;
        using Count = std::common_type_t<typename T::rep, std::int64_t>;
        const auto count = static_cast<Count>(time.count());
        return static_cast<std::int64_t>(count / den * num + (count % den * num + den - 1) / den);
    }
}

/// Of anything else.
template <class T>
std::int64_t wholeMilliseconds(T) noexcept {
    static_assert(std::is_arithmetic_v<T> || Duration<T>,
                  "a time is a number of milliseconds or a std::chrono duration");
    return kNoDuration;
}

/// InternalError for less than 0 ms.
template <class Time>
std::int64_t checkedTime(const char* call, Time time) {
    const std::int64_t ms = wholeMilliseconds(time);
    if (ms < 0) [[unlikely]]
        refuseTime(call, ms);
    return ms;
}

}  // namespace steptree::detail
