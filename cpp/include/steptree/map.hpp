#pragma once

#include <type_traits>
#include <utility>

#include "steptree/detail/mapvalue.hpp"
#include "steptree/steps.hpp"

namespace steptree {

/// Runs its body for each item of a source, with the item and its number (a step value with the
/// item alone), at most `limit` of them at a time, each as a branch of its own. The next item is
/// taken when there is room for it, so the source may be endless. It is a collection as in
/// forEach(), shared by all runs; or a function that returns std::optional, at its end with an
/// empty one: each run has a copy of it, which begins anew; or a channel, which is referred to, and
/// whose values are received when there is room for them, until it is closed and empty. What the
/// body refers to as its item stays until its step is closed.
///
/// The result is the list of the first values of the bodies, in the order of the source unless
/// `ordered` is false: a std::vector of what the body returns, or of an R where that says too
/// little, `map<R>(...)`; of Results, all values of a body. There is none if the body returns
/// nothing, or if a `sink(value, i)` gets each value; that is shared by all runs, as the body is,
/// what it throws fails the step, and it may cancel the flow.
///
/// It ends when the source is at its end and all items have ended. The first error of an item, of
/// the source or of the sink cancels and closes the items, then destroys the source, and is the
/// step's; a timeout, a cancel or a failed sibling outside does so, too. A limit of 0, as in
/// `map(urls, {}, body)`: InternalError at the call, which ends a program that makes the value
/// outside of a function. Guide: docs/many-at-once.md#a-list-so-many-at-a-time
///
///     const auto sizes = map(urls, {.limit = 8}, &fetchSize);
///     std::vector<int> known = run(tool, sizes).get();
template <class R = detail::Deduced, class C, class F, class S = detail::NoSink>
auto map(C&& source, MapOptions options, F&& body, S&& sink = S(),
         detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Source = typename detail::GoneThrough<C>::type;
    using Body = std::decay_t<F>;
    using Sink = std::decay_t<S>;
    using Result = typename detail::ResultIn<R, Source, Body>::type;
    static_assert(!std::is_void_v<Result> || std::is_same_v<Sink, detail::NoSink>,
                  "map(): the body returns nothing for the sink: say what it leaves by map<R>()");
    using Block = detail::MapBlock<Result, Source, Body, Sink>;
    return Step<AnyValues, typename detail::ListOf<Result, Sink>::type>(detail::makeBlock<Block>(
        std::forward<C>(source), options, std::forward<F>(body), std::forward<S>(sink)));
}

}  // namespace steptree
