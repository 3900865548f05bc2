#pragma once

#include <stop_token>
#include <utility>

#include "steptree/iasyncsteps.hpp"

namespace steptree {

namespace detail {
struct GivenSignal {
    std::stop_token token;
};
}  // namespace detail

/// For what the step starts: stopped when the step ends in any other way than ok, before its cancel
/// handler is called, on the tool's thread; what listens may not throw. It's made, on the heap,
/// when it is asked for, and doesn't make the step wait. It stays readable until the step closes,
/// also in cancel handlers and in `unlock()`. Guide: docs/deadlines.md#cancelling-from-outside
///
///     std::jthread worker([stop = signal(asi)] { workUntil(stop); });
inline std::stop_token signal(IAsyncSteps& asi) {
    detail::GivenSignal given;
    asi.giveSignal(given);
    return std::move(given.token);
}

}  // namespace steptree
