#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "steptree/detail/parts.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

namespace detail {

template <class T>
inline constexpr bool isList = false;
template <class V, class W>
inline constexpr bool isList<std::vector<steptree::Step<V, W>>> = true;

/// A body or a step value; not a list of them.
template <class F>
concept Part = !isList<std::decay_t<F>>;

/// Whether it takes what others see, too, as copies or by const reference.
template <class F, class P>
inline constexpr bool sharesAll = true;
template <class F, class... P>
inline constexpr bool sharesAll<F, Types<P...>> = (... && (std::is_lvalue_reference_v<P> ||
                                                           copyable<std::decay_t<P>>()));
template <class F>
constexpr bool shares() {
    if constexpr (IsStepValue<F>) {
        return true;
    } else {
        return sharesAll<F, Parameters<std::decay_t<F>>>;
    }
}
template <class... F>
constexpr bool checkShared() {
    static_assert((... && shares<F>()),
                  "what several branches or attempts see is copied: take what can't be by const "
                  "reference");
    return true;
}

template <class Left, class In>
inline constexpr bool isMissing = false;
template <class T, class... More>
inline constexpr bool isMissing<Values<>, Values<T, More...>> = true;

/// The first line of what the compiler says names the part.
template <std::size_t part, class Left, class In>
constexpr bool checkPart() {
    constexpr bool missing = isMissing<Left, In>;
    constexpr bool fit = fits<Left, In> || missing;
#define STEPTREE_PART(number, before)                                                          \
    static_assert(part != number || !missing,                                                  \
                  "part " #before " of steps() leaves nothing, and part " #number              \
                  " takes a value: say -> Values<...> where success() or a step that it adds " \
                  "leaves one");                                                               \
    static_assert(part != number || fit,                                                       \
                  "part " #number " of steps() takes other values than part " #before          \
                  " leaves: the types have to be the same, an int is no long")
    STEPTREE_PART(2, 1);
    STEPTREE_PART(3, 2);
    STEPTREE_PART(4, 3);
    STEPTREE_PART(5, 4);
    STEPTREE_PART(6, 5);
    STEPTREE_PART(7, 6);
    STEPTREE_PART(8, 7);
    STEPTREE_PART(9, 8);
    STEPTREE_PART(10, 9);
    STEPTREE_PART(11, 10);
    STEPTREE_PART(12, 11);
    static_assert(part <= 12 || (fit && !missing),
                  "a part of steps() takes other values than the one before it leaves: the types "
                  "have to be the same, an int is no long");
#undef STEPTREE_PART
    return true;
}

/// What a sequence takes and leaves.
template <class... F>
struct SequenceTypes {
    using In = AnyValues;
    using Out = AnyValues;
};
template <class F, class... More>
struct SequenceTypes<F, More...> {
    template <std::size_t part, class Left, class... Rest>
    struct Last {
        using type = Left;
    };
    template <std::size_t part, class Left, class G, class... Rest>
    struct Last<part, Left, G, Rest...> {
        static_assert(checkPart<part, Left, InOf<G>>());
        using type = typename Last<part + 1, OutOf<G>, Rest...>::type;
    };
    using In = InOf<F>;
    using Out = typename Last<2, OutOf<F>, More...>::type;
};

}  // namespace detail

#define STEPTREE_STEP_VALUE \
    [[nodiscard("a step value does nothing by itself: add it, return it or run it")]]

/// A step that is described once, and added or run any number of times, also at once, in any flows
/// and tools. It takes the values In and leaves Out, both a Values<...>, or AnyValues, which are
/// looked at when it runs. It never changes, its copies are the same, and it may go out of scope
/// while it runs. Its bodies, and what they capture, are shared by all runs, on all threads: they
/// are called as const, one that is `mutable` doesn't compile.
/// Guide: docs/values.md#a-step-is-a-value
///
///     const auto profile = steps([](IAsyncSteps&, int id) { return find(id); },
///                                all(carts, mails), &render)
///                              .timeout(500ms).named("profile");
///     flow.add(profile.with(42));
template <class In = AnyValues, class Out = AnyValues>
class STEPTREE_STEP_VALUE Step : public detail::StepValue {
    static_assert(detail::isValues<In> && detail::isValues<Out>, "expected Values<...>");

  public:
    /// For the functions that make one.
    explicit Step(StepValue made) noexcept : StepValue(std::move(made)) {}

    /// The same, where less is known of it or less is needed.
    template <class I, class O>
    requires(!(std::is_same_v<I, In> && std::is_same_v<O, Out>)&&detail::fits<In, I> &&
             detail::fits<O, Out>) Step(const Step<I, O>& other)
    noexcept : StepValue(other) {}

    /// The same with a limit: when it has not ended so many milliseconds, or any chrono duration,
    /// after it has begun, all inside is cancelled and Timeout is raised here. In
    /// `.timeout(500ms).onError(handler)` the handler gets to see that; the other way round the
    /// limit is the handler's, too. What takes time to stop is waited for, for `grace` of the
    /// Options (5 s) at most: an operation that ignores its cancellation makes Timeout as late as
    /// that. Negative or NaN: InternalError at the call.
    ///
    ///     const auto quick = load.timeout(500ms);
    template <class Time>
    Step timeout(Time limit) const {
        return Step(detail::limitedTo(*this, limit));
    }
    /// The same with a code in the place of Timeout; empty: InternalError.
    /// Guide: docs/deadlines.md#a-deadline-for-all-of-it
    template <class Time>
    Step timeout(Time limit, std::string_view code) const {
        if (code.empty()) throw StepError(errors::InternalError, "timeout: expected a code");
        return Step(detail::limitedTo(*this, limit, code));
    }

    /// The same with a handler for the errors that leave it: `handler(asi, code)`. It recovers by
    /// success(), by adding steps, or by returning a step value; else the error goes on outwards.
    ///
    ///     const auto careful = load.onError([](IAsyncSteps& asi, ErrorCode code) {
    ///         if (code == "NotFound") asi.success(std::string("nobody"));
    ///     });
    template <class H>
    Step onError(H&& handler) const {
        return Step(detail::heardBy(*this, std::forward<H>(handler)));
    }

    /// The same by a name: in paths it stands in the place of the index, of a branch as `|name`.
    /// Rounds, items and attempts keep numbers. What is made of it alone, such as sync(guard,
    /// value) or retry(options, value), has its name unless it's given one.
    /// Guide: docs/errors.md#where-it-was-and-why
    ///
    ///     const auto found = load.named("user");
    Step named(std::string_view name) const { return Step(detail::namedAs(*this, name)); }

    /// The same with these values, in the place of those that it would find. They are kept for all
    /// its runs: a view of what may be gone by then doesn't compile.
    ///
    ///     const auto ann = load.with("ann");
    template <class... T>
    Step<Values<>, Out> with(T&&... values) const {
        static_assert(sizeof...(T) <= detail::kMaxValues, "a step has at most 4 values");
        if constexpr (std::is_same_v<In, AnyValues>) {
            static_assert(detail::checkNoViews<T...>());
            return Step<Values<>, Out>(detail::around<detail::BoundBlock<detail::Kept<T>...>>(
                *this, std::forward<T>(values)...));
        } else {
            return Step<Values<>, Out>(
                bound(static_cast<In*>(nullptr), std::forward<T>(values)...));
        }
    }

  private:
    template <class... Taken, class... T>
    StepValue bound(Values<Taken...>*, T&&... values) const {
        constexpr bool same = sizeof...(Taken) == sizeof...(T);
        static_assert(same, "with() is given what the step takes: as many values");
        if constexpr (same) {
            constexpr bool views = (... || detail::isView<Taken>);
            constexpr bool made = (... && std::is_constructible_v<Taken, T>);
            static_assert(!views,
                          "with() keeps what the step takes, and can't keep a view: let the body "
                          "take a std::string or a std::vector");
            static_assert(made, "with() is given what the step takes: a value is of another type");
            if constexpr (!views && made) {
                return detail::around<detail::BoundBlock<Taken...>>(*this,
                                                                    std::forward<T>(values)...);
            }
        }
        return *this;
    }
};

#undef STEPTREE_STEP_VALUE

/// A step with that body; a step value is given back as it is. Its result is what the body returns,
/// or gives to success(). It ends when the body, what it waits for and all steps that it has added
/// have. What closes it from outside, a timeout, a cancel or a failed sibling, cancels what runs in
/// it.
///
/// What it leaves follows from the type that the body returns; where that says too little, since it
/// adds steps or ends the step later: `step<Values<int>, Values<User>>`.
/// Guide: docs/first-flow.md#one-step
///
///     const auto greet = step([](IAsyncSteps&, std::string name) { return "hello " + name; });
///     flow.add(greet.with("Ann"));
template <class In, class Out, class F>
Step<In, Out> step(F&& body, detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    using Block = detail::SoleBlock<Body>;
    static_assert(detail::fits<In, detail::InOf<Body>>,
                  "step(): the body takes other values: the types have to be the same");
    return Step<In, Out>(detail::makeBlock<Block>(std::forward<F>(body), detail::StepSpec()));
}
/// The same: what it takes and leaves follows from the body.
template <class F>
auto step(F&& body, detail::Here here = detail::Here::current()) {
    using Body = std::decay_t<F>;
    if constexpr (detail::IsStepValue<F>) {
        return Body(body);
    } else {
        return step<detail::InOf<Body>, detail::OutOf<Body>>(std::forward<F>(body), here);
    }
}

/// Runs its parts, bodies or step values, one after another, each with the values of the one
/// before; the first gets what the step finds. Its result is that of the last one; without parts it
/// gives on what it finds. It ends with the last part, or with the first error: no further part
/// begins then. What closes it from outside, a timeout, a cancel or a failed sibling, cancels the
/// part that runs. Guide: docs/first-flow.md#one-after-the-other
///
///     const auto page = steps(loadUser, all(carts, mails), render).timeout(500ms);
///     std::string html = run(tool, page.with(42)).get();
template <detail::Part... F>
auto steps(F&&... parts) {
    using Types = detail::SequenceTypes<std::decay_t<F>...>;
    using Block = detail::SequenceBlock<detail::PartList<std::decay_t<F>...>>;
    return Step<typename Types::In, typename Types::Out>(
        detail::makeBlock<Block>(std::forward<F>(parts)...));
}
/// The same with a list of parts, each of which leaves what the next one takes.
template <class V, class W>
Step<V, W> steps(const std::vector<Step<V, W>>& parts) {
    static_assert(detail::fits<W, V>, "steps(): each part has to leave what the next one takes");
    return Step<V, W>(detail::makeBlock<detail::SequenceBlock<detail::ValueList>>(parts));
}

}  // namespace steptree
