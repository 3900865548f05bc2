#pragma once

#include <string>
#include <utility>

#include "steptree/steps.hpp"

namespace steptree {

namespace detail {

template <class Time>
std::int64_t checkedLimit(Time limit) {
    const std::int64_t ms = wholeMilliseconds(limit);
    if (ms >= 0 && ms != kForever) return ms;
    throw StepError(errors::InternalError,
                    "shield: expected a limit of at least 0 ms that is not infinite, got " +
                        (ms == kNoDuration ? std::string("no number") : std::to_string(ms)));
}

}  // namespace detail

/// A step in which a timeout, a cancel or a failed sibling outside of it isn't seen: it's performed
/// when the step has closed. Its body gets the values that the step finds; its result is the
/// step's. After `limit`, milliseconds or any chrono duration, Timeout is raised at the step; what
/// a handler adds has it anew. A limit that is negative, NaN or infinite: InternalError at the
/// call. Guide: docs/cleanup.md#shield
///
///     const auto commit = shield(1s, [](IAsyncSteps& asi) { asi.add(write).add(flush); });
///     flow.add(commit);
template <class Time, class F>
auto shield(Time limit, F&& body, detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    detail::StepSpec spec{nullptr, nullptr, detail::StepKind::shield};
    spec.count = detail::checkedLimit(limit);
    return Step<detail::InOf<Body>, detail::OutOf<Body>>(
        detail::makeBlock<detail::SoleBlock<Body>>(std::forward<F>(body), spec));
}

}  // namespace steptree
