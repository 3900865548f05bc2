#pragma once

#include <cstddef>

namespace steptree {
class IAsyncSteps;
}

namespace steptree::detail {

template <class... T>
struct Types {
    static constexpr std::size_t count = sizeof...(T);
};

/// The parameters of a body after the accessor.
template <class Call>
struct ParametersOf {
    using type = Types<>;  // a generic lambda takes the accessor only
};

template <class R, class Asi, class... P>
struct ParametersOf<R(Asi, P...)> {
    using type = Types<P...>;
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
