#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "steptree/detail/foreachvalue.hpp"
#include "steptree/steps.hpp"

namespace steptree {

/// Runs its body again and again, each time as a step of its own, until breakLoop(). It has no
/// result. An error that leaves an iteration leaves the loop. What closes it from outside, a
/// timeout, a cancel or a failed sibling, closes the iteration that runs. What the body returns is
/// dropped; a `label` is for breakLoop() and continueLoop().
/// Guide: docs/loops.md#until-something-happens
///
///     const auto poll = loop([](IAsyncSteps& asi) { asi.add(ask).add(delay(100ms)); }, "polling");
///     flow.add(poll);
template <class F>
Step<AnyValues, Values<>> loop(F&& body, std::string_view label = {},
                               detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    using Block = detail::SoleBlock<Body, detail::PartRoundCall<Body>>;
    static_assert(detail::takesGiven<Body, Values<>>, "loop(): a round is given no values");
    const detail::StepSpec spec{nullptr, nullptr, detail::StepKind::loop};
    return Step<AnyValues, Values<>>(detail::makeBlock<Block>(std::forward<F>(body), spec, label));
}

/// Runs its body `count` times, with the numbers from 0 to `count` - 1, each time as a step of its
/// own. It has no result, and ends after the last of them or by breakLoop(); else it is as `loop`.
/// A step value gets the number as std::int64_t. A count below 0: InternalError of the step when it
/// begins. Guide: docs/loops.md
///
///     const auto thrice = repeat(3, [](IAsyncSteps&, int i) { log(i); });
///     flow.add(thrice);
template <class F>
Step<AnyValues, Values<>> repeat(std::int64_t count, F&& body, std::string_view label = {},
                                 detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    using Block = detail::SoleBlock<Body, detail::PartRoundCall<Body>>;
    static_assert(detail::takesGiven<Body, Values<std::int64_t>>,
                  "repeat(): a round is given a std::int64_t");
    detail::StepSpec spec{nullptr, nullptr, detail::StepKind::repeat};
    spec.count = count;
    return Step<AnyValues, Values<>>(detail::makeBlock<Block>(std::forward<F>(body), spec, label));
}

/// Runs its body for each element, in order, with its index and value; of a map with key and value.
/// Each time is a step of its own. The collection is shared by all runs: owned if it's given by
/// value, referred to by `std::ref`. A step value gets copies; the index as std::size_t. It has no
/// result, and ends after the last element or by breakLoop(); else it is as `loop`. Of a channel,
/// which is referred to, it receives value by value, and ends when that is closed and empty; a
/// value that it leaves before an iteration has begun goes back. Guide: docs/loops.md
///
///     const auto greetAll = forEach(std::vector<std::string>{"Ann", "Bob"}, &greetOne);
///     flow.add(greetAll);
template <class C, class F>
Step<AnyValues, Values<>> forEach(C&& collection, F&& body, std::string_view label = {},
                                  detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Collection = typename detail::GoneThrough<C>::type;
    using Block = detail::ForEachBlock<Collection, std::decay_t<F>>;
    using Given = typename detail::ElementsOf<Collection>::type;
    static_assert(detail::takesGiven<std::decay_t<F>, Given>,
                  "forEach(): a round is given a std::size_t and an element, or key and value");
    return Step<AnyValues, Values<>>(
        detail::makeBlock<Block>(std::forward<C>(collection), std::forward<F>(body), label));
}

}  // namespace steptree
