#pragma once

#include "steptree/steps.hpp"

namespace steptree {

namespace detail {

struct DelayBlock : Definition {
    explicit DelayBlock(std::int64_t ms) noexcept {
        spec.kind = StepKind::delay;
        spec.count = ms;
    }
};

}  // namespace detail

/// A step that waits so many milliseconds, or any chrono duration, rounded up, from when it begins.
/// It drops the values that it finds, and has no result; Infinity is for ever. Whatever closes it
/// takes its timer away. Negative or NaN: InternalError at the call.
/// Guide: docs/first-flow.md#waiting
///
///     const auto later = steps(delay(50ms), charge);
///     flow.add(later);
template <class Time>
Step<AnyValues, Values<>> delay(Time time) {
    return Step<AnyValues, Values<>>(
        detail::makeBlock<detail::DelayBlock>(detail::checkedTime("delay", time)));
}

}  // namespace steptree
