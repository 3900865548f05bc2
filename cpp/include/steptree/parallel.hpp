#pragma once

#include <utility>
#include <vector>

#include "steptree/detail/branches.hpp"
#include "steptree/steps.hpp"

namespace steptree {

/// Runs its branches side by side: each takes its turns, in this order. They get no values, and it
/// has no result. It ends when all have ended. The first error that leaves a branch cancels the
/// others, in order, and is the step's. What closes it from outside, a timeout, a cancel or a
/// failed sibling, cancels all of them, in order. Without branches it ends at once.
/// Guide: docs/many-at-once.md#all-of-them
///
///     const auto prepare = parallel(warmCache, openSocket);
///     flow.add(prepare);
template <detail::Part... F>
Step<AnyValues, Values<>> parallel(F&&... branches) {
    static_assert((... && detail::fits<Values<>, detail::InOf<F>>),
                  "parallel(): a branch is given no values");
    using Block = detail::BranchesBlock<detail::PartList<std::decay_t<F>...>,
                                        detail::StepKind::branches, false>;
    return Step<AnyValues, Values<>>(detail::makeBlock<Block>(std::forward<F>(branches)...));
}
/// The same with a list of branches.
template <class V, class W>
Step<AnyValues, Values<>> parallel(const std::vector<Step<V, W>>& branches) {
    using Block = detail::BranchesBlock<detail::ValueList, detail::StepKind::branches, false>;
    return Step<AnyValues, Values<>>(detail::makeBlock<Block>(branches));
}

/// Runs its branches as parallel() does, each with the values that the step finds. Its result is
/// one value: the std::tuple of the first value of each branch, in this order, std::monostate of
/// one that has none. Of a list of branches: a std::vector. What several branches see is copied, or
/// taken by const reference. Guide: docs/many-at-once.md#all-of-them
///
///     const auto both = steps(all(carts, mails),
///         [](IAsyncSteps&, const std::tuple<Cart, Mails>& of) { return show(of); });
///
/// What the step finds is gone behind it: a branch that returns it passes it through.
///
///     const auto kept = all([](IAsyncSteps&, const User& user) { return user; }, carts, mails);
template <detail::Part... F>
auto all(F&&... branches) {
    using In = typename detail::Common<detail::InOf<F>...>::type;
    static_assert(detail::checkShared<F...>());
    using Firsts = detail::Firsts<detail::FirstOf<F>...>;
    using Block = detail::AllBlock<detail::PartList<std::decay_t<F>...>, Firsts>;
    return Step<In, Values<typename Firsts::Value>>(
        detail::makeBlock<Block>(std::forward<F>(branches)...));
}
/// The same with a list of branches, and of values.
template <class V, class W>
auto all(const std::vector<Step<V, W>>& branches) {
    using Firsts = detail::FirstList<typename detail::FirstIn<W>::type>;
    using Block = detail::AllBlock<detail::ValueList, Firsts>;
    return Step<V, Values<typename Firsts::Value>>(detail::makeBlock<Block>(branches));
}

namespace detail {

/// One branch ends the step: see race() and any().
template <StepKind kind, Part... F>
auto withWinner(F&&... branches) {
    using In = typename Common<InOf<F>...>::type;
    static_assert(checkShared<F...>());
    using Out = typename Either<OutOf<F>...>::type;
    using Block = BranchesBlock<PartList<std::decay_t<F>...>, kind>;
    return steptree::Step<In, Out>(makeBlock<Block>(std::forward<F>(branches)...));
}
template <StepKind kind, class V, class W>
auto withWinner(const std::vector<steptree::Step<V, W>>& branches) {
    return steptree::Step<V, W>(makeBlock<BranchesBlock<ValueList, kind>>(branches));
}

}  // namespace detail

/// Runs its branches as all() does, till the first of them has ended: with ok, its values are the
/// step's, with an error, that is the step's. The others are cancelled and closed before. What
/// closes it from outside, a timeout, a cancel or a failed sibling, cancels all of them, in order.
/// Without a branch: InternalError of the step. Guide: docs/many-at-once.md#the-first-one
///
///     const auto fastest = race(near, far);
///     auto answer = run(tool, fastest.with(question));
template <detail::Part... F>
auto race(F&&... branches) {
    return detail::withWinner<detail::StepKind::race>(std::forward<F>(branches)...);
}
/// The same with a list of branches.
template <class V, class W>
Step<V, W> race(const std::vector<Step<V, W>>& branches) {
    return detail::withWinner<detail::StepKind::race>(branches);
}

/// Runs its branches as all() does, till the first of them has ended with ok: its values are the
/// step's. The others are cancelled and closed before. If all fail: AllFailed, with their errors in
/// also(), in this order. What closes it from outside, a timeout, a cancel or a failed sibling,
/// cancels all of them, in order. Without a branch: InternalError of the step.
/// Guide: docs/many-at-once.md#the-first-one
///
///     const auto mirror = any(first, second, third);
///     auto file = run(tool, mirror.with("a.txt"));
template <detail::Part... F>
auto any(F&&... branches) {
    return detail::withWinner<detail::StepKind::any>(std::forward<F>(branches)...);
}
/// The same with a list of branches.
template <class V, class W>
Step<V, W> any(const std::vector<Step<V, W>>& branches) {
    return detail::withWinner<detail::StepKind::any>(branches);
}

}  // namespace steptree
