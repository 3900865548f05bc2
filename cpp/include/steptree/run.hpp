#pragma once

#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "steptree/detail/startowned.hpp"
#include "steptree/startoptions.hpp"
#include "steptree/steps.hpp"
#include "steptree/tool.hpp"

namespace steptree {

/// Runs a step value in a flow of its own, and gives a future of its first value, void if it has
/// none. It fails with the step's error, or with Canceled after `signal` was stopped. Results are
/// all values, of one whose types aren't known. What `promise(signal)` of a new flow does to which
/// the value was added; the flow goes when it has ended, or with its tool.
/// Guide: docs/first-flow.md#one-step
///
///     Future<Page> page = run(tool, profile.with(42), {.signal = stop.get_token()});
template <class In, class Out>
[[nodiscard("an error is lost with the future: tool.start(step) has none")]] auto run(
    Tool& tool, const Step<In, Out>& value, RunOptions options = {}) {
    static_assert(detail::fits<Values<>, In>, "run(): the step takes values: give them by with()");
    using T = typename detail::OnlyIn<Out>::type;
    const detail::Definition& definition = value.definition();
    Promise<T> promise;
    promise.settledBy(detail::settlerOf(tool.core()));
    Future<T> future = promise.future();
    if (!options.signal.stop_possible() && options.options == nullptr) {
        if (void* const place =
                detail::runOwned(tool.core(), definition, detail::RunPromise<T>::ops)) {
            ::new (place) Promise<T>(std::move(promise));
            return future;
        }
    }
    detail::startOwned(tool.core(), definition,
                       {IFlow::settling(std::move(promise)), std::move(options.signal),
                        std::move(options.options)});
    return future;
}

template <class In, class Out>
void Tool::start(const Step<In, Out>& value) {
    static_assert(detail::fits<Values<>, In>,
                  "start(): the step takes values: give them by with()");
    detail::startOwned(core(), value.definition());
}
template <class In, class Out>
void Tool::start(const Step<In, Out>& value, StartOptions options) {
    static_assert(detail::fits<Values<>, In>,
                  "start(): the step takes values: give them by with()");
    detail::startOwned(core(), value.definition(), std::move(options));
}

}  // namespace steptree
