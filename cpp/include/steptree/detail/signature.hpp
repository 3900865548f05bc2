#pragma once

#include <tuple>
#include <type_traits>

namespace steptree {
class IAsyncSteps;
}

namespace steptree::detail {

/// The parameters of a body after the accessor, as a tuple type.
template <class Call>
struct ParametersOf {
    using type = std::tuple<>;  // a generic lambda takes the accessor only
};

template <class R, class Asi, class... P>
struct ParametersOf<R(Asi, P...)> {
    using type = std::tuple<P...>;
};

template <class R, class C, class Asi, class... P>
struct ParametersOf<R (C::*)(Asi, P...)> : ParametersOf<R(Asi, P...)> {};
template <class R, class C, class Asi, class... P>
struct ParametersOf<R (C::*)(Asi, P...) const> : ParametersOf<R(Asi, P...)> {};
template <class R, class C, class Asi, class... P>
struct ParametersOf<R (C::*)(Asi, P...) noexcept> : ParametersOf<R(Asi, P...)> {};
template <class R, class C, class Asi, class... P>
struct ParametersOf<R (C::*)(Asi, P...) const noexcept> : ParametersOf<R(Asi, P...)> {};
template <class R, class Asi, class... P>
struct ParametersOf<R (*)(Asi, P...)> : ParametersOf<R(Asi, P...)> {};
template <class R, class Asi, class... P>
struct ParametersOf<R (*)(Asi, P...) noexcept> : ParametersOf<R(Asi, P...)> {};

template <class F>
struct BodyParameters : ParametersOf<F> {};

template <class F>
requires requires {
    &F::operator();
}
struct BodyParameters<F> : ParametersOf<decltype(&F::operator())> {};

template <class F>
using Parameters = typename BodyParameters<F>::type;

}  // namespace steptree::detail
