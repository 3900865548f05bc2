#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "steptree/retry.hpp"
#include "steptree/steps.hpp"

namespace steptree {

/// `hedge({.after = 50ms, .max = 3, .budget = &budget}, body)`.
struct HedgeOptions {
    /// From an attempt's begin until that of the next one: what most answers take, such as the 95th
    /// percentile. 0: right behind it; infinity: only when all before it have failed.
    Milliseconds after;
    std::int64_t max = 2;  ///< attempts in all, at least 1
    /// After which errors another attempt may help; any other one ends the hedge at once. A time
    /// says when the next one begins, in the place of `after`, as does retryAfter() of such an
    /// error. Without: as that of a retry.
    RetryOn on = {};
    /// What pays for all attempts but the first. Not owned; without: none.
    RetryBudget* budget = nullptr;
};

namespace detail {

template <class F, class Call>
struct HedgeBlock : HedgeDefinition {
    template <class X>
    HedgeBlock(HedgeOptions given, X&& attempt)
        : settings(std::move(given)), part(std::forward<X>(attempt)) {
        spec.kind = StepKind::hedge;
        spec.ops = &kReferring<true>;
        counted = &kCounting<true>;
        options = &settings;
        body = part.get();
        after = wholeMilliseconds(settings.after.count());
        numbered = !IsStepValue<F>;
        if (!numbered) setName(spec, nameOf(body->spec));
    }

    const HedgeOptions settings;
    const PartOf<F, Call> part;
};

inline void checkHedge(const HedgeOptions& options) {
    static_cast<void>(checkedTime("after", options.after.count()));
    checkNumber("max", options.max);
    checkOn(options.on);
}

}  // namespace detail

/// Runs its body, and once more when that is slow: the next attempt begins `after` milliseconds
/// after the one before, or at once when all that have begun have failed, at most `max` of them.
/// Each is a branch of its own; it gets the values that the step finds, then its number, from 1, as
/// any integer type (but for a step value). What several attempts see is copied, or taken by const
/// reference. The first that ends with ok wins: its values are the result, and the others are
/// cancelled and closed before. So what is asked must bear to be asked twice. An error that isn't
/// worth another attempt ends all at once, see `on`; when all have failed the error of the last one
/// is the step's. Errors of the other attempts are in its also().
///
/// With a `budget` each attempt but the first takes a token, and without one none begins any more:
/// when everything is slow, hedges would double the load. A timeout, a cancel or a failed sibling
/// outside cancels all attempts, in order, and none begins after that. Bad options: InternalError
/// to the caller. Guide: docs/many-at-once.md#a-second-try-when-the-first-is-slow
///
///     const auto quick = hedge({.after = 50ms, .budget = &budget}, ask.timeout(500ms));
///     auto answer = run(tool, quick.with(question));
template <class F>
auto hedge(HedgeOptions options, F&& body, detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    using Block = detail::HedgeBlock<Body, detail::PartCall<Body, true>>;
    static_assert(detail::checkShared<F>());
    detail::checkHedge(options);
    return Step<detail::AttemptIn<Body>, detail::OutOf<Body>>(
        detail::makeBlock<Block>(std::move(options), std::forward<F>(body)));
}

}  // namespace steptree
