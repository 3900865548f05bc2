#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <variant>

#include "steptree/detail/calls.hpp"
#include "steptree/detail/definition.hpp"
#include "steptree/values.hpp"

/// What the compiler knows of the values that parts of a step value take and leave.
namespace steptree {

template <class In, class Out>
class Step;
template <class T>
class Task;

namespace detail {

// ---- what is left by a body that returns an R

template <class T>
struct LeftBy {
    using type = Values<Kept<T>>;
};
template <>
struct LeftBy<void> {
    using type = Values<>;
};
template <>
struct LeftBy<Results> {
    using type = AnyValues;
};
template <class... T>
struct LeftBy<Values<T...>> {
    using type = Values<T...>;
};
template <>
struct LeftBy<AnyValues> {
    using type = AnyValues;
};
template <class In, class Out>
struct LeftBy<steptree::Step<In, Out>> {
    using type = Out;
};
template <class T>
struct LeftBy<Task<T>> : LeftBy<std::decay_t<T>> {};
template <class R>
requires isAccessor<R>
struct LeftBy<R> {
    using type = AnyValues;
};
template <Awaitable R>
struct LeftBy<R> {
    using type = AnyValues;
};
template <Awaitable R>
requires requires {
    typename R::Value;
}
struct LeftBy<R> : LeftBy<typename R::Value> {};

// ---- what a part takes and leaves

template <class F>
concept TakesAll = std::is_same_v<Parameters<F>, Types<const Results&>> ||
    std::is_same_v<Parameters<F>, Types<Results&>>;

template <class P>
struct TakenBy;
template <class... P>
struct TakenBy<Types<P...>> {
    using type = Values<std::decay_t<P>...>;
};
template <>
struct TakenBy<Types<const Results&>> {
    using type = AnyValues;
};

/// Whether it isn't a template, or overloaded.
template <class F>
inline constexpr bool hasKnownTypes = requires {
    &F::operator();
};

template <class F, class P = Parameters<F>>
struct Returns;
template <class F, class... P>
struct Returns<F, Types<P...>> {
    static constexpr bool fits = std::is_invocable_v<const F&, IAsyncSteps&, P...>;
    static constexpr bool changes = !fits && std::is_invocable_v<F&, IAsyncSteps&, P...>;
    static constexpr bool hides = !fits && !changes && std::is_class_v<F> && !hasKnownTypes<F>;
    static_assert(!changes,
                  "the body of a step value is shared by all runs and called as const: a mutable "
                  "lambda is none");
    static_assert(!hides,
                  "the body of a step value takes IAsyncSteps&, then values, each by its type: "
                  "with auto nobody knows which");
    static_assert(fits || changes || hides,
                  "the first parameter of a body is IAsyncSteps&, the values follow");
    using type = std::decay_t<std::invoke_result_t<const F&, IAsyncSteps&, P...>>;
};

/// Of a body.
template <class F>
struct PartTypes {
    using In = typename TakenBy<Parameters<F>>::type;
    using Out = typename LeftBy<typename Returns<F>::type>::type;
};
template <class I, class O>
struct PartTypes<steptree::Step<I, O>> {
    using In = I;
    using Out = O;
};

template <class F>
using InOf = typename PartTypes<std::decay_t<F>>::In;
template <class F>
using OutOf = typename PartTypes<std::decay_t<F>>::Out;

/// Whether what takes In can stand where a Left is.
template <class Left, class In>
inline constexpr bool fits = true;
template <class... L, class... I>
inline constexpr bool fits<Values<L...>, Values<I...>> = [] {
    if constexpr (sizeof...(I) > sizeof...(L)) {
        return false;
    } else {
        return []<std::size_t... At>(std::index_sequence<At...>) {
            using Left = std::tuple<L...>;
            using In = std::tuple<I...>;
            return (... &&
                    std::is_same_v<std::tuple_element_t<At, Left>, std::tuple_element_t<At, In>>);
        }
        (std::index_sequence_for<I...>());
    }
}();

/// The first one, as a list of `all` has it.
template <class V>
struct FirstIn {
    using type = Results;
};
template <>
struct FirstIn<Values<>> {
    using type = std::monostate;
};
template <class T, class... More>
struct FirstIn<Values<T, More...>> {
    using type = T;
};
template <class F>
using FirstOf = typename FirstIn<OutOf<F>>::type;

/// The same, for who takes one value or none.
template <class V>
struct OnlyIn : FirstIn<V> {};
template <>
struct OnlyIn<Values<>> {
    using type = void;
};

/// What stands in the place of the body of a loop or a map takes what that gives.
template <class F, class Given>
inline constexpr bool takesGiven = true;
template <class I, class O, class Given>
inline constexpr bool takesGiven<steptree::Step<I, O>, Given> = fits<Given, I>;

/// What all of them take: the longest.
template <class... V>
struct Common;
template <class V>
struct Common<V> {
    using type = V;
};
template <class V, class W, class... More>
struct Common<V, W, More...>
    : Common<
          std::conditional_t<std::is_same_v<V, AnyValues>, W, std::conditional_t<fits<V, W>, V, W>>,
          More...> {
    static_assert(fits<V, W> || fits<W, V>, "the branches take values of different types");
};
template <>
struct Common<> {
    using type = AnyValues;
};

/// What is left by one of them: known if it's the same of all.
template <class... V>
struct Either {
    using type = AnyValues;
};
template <class V, class... More>
requires(std::is_same_v<V, More>&&...) struct Either<V, More...> {
    using type = V;
};

/// An attempt gets its number behind what the step finds.
template <class V>
struct Unnumbered {
    using type = V;
};
template <class... T>
requires(sizeof...(T) > 0) struct Unnumbered<Values<T...>> {
    using All = std::tuple<T...>;
    static constexpr std::size_t last = sizeof...(T) - 1;
    using Last = std::tuple_element_t<last, All>;
    template <std::size_t... At>
    static Values<std::tuple_element_t<At, All>...> without(std::index_sequence<At...>);
    using type =
        std::conditional_t<std::is_integral_v<Last> && !std::is_same_v<Last, bool>,
                           decltype(without(std::make_index_sequence<last>())), Values<T...>>;
};

}  // namespace detail
}  // namespace steptree
