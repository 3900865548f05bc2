#pragma once

#include <type_traits>

namespace steptree {
class IAsyncSteps;
class IParallel;
}  // namespace steptree

/// Of temporaries within an expression with `co_await` g++ before 13 copies the bytes of lambdas
/// that capture by value, and of aggregates, and destroys both. (Seen with 12.2; clang 14 doesn't.)
namespace steptree::detail {

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
inline constexpr bool kDestroysTwice = true;
#else
inline constexpr bool kDestroysTwice = false;
#endif

class StepValue;

/// What is given as an X&&: whether it's such a temporary, as far as one can tell.
template <class X>
inline constexpr bool isFragile =
    !std::is_lvalue_reference_v<X> && !std::is_trivially_destructible_v<std::decay_t<X>> &&
    !std::is_base_of_v<StepValue, std::decay_t<X>>;

/// The same of what isn't a body: vectors and their like are safe.
template <class X>
using Given = std::conditional_t<
    std::is_aggregate_v<std::decay_t<X>> || std::is_invocable_v<std::decay_t<X>&>, X, int>;

template <class Self>
inline constexpr bool isAwaited =
    std::is_same_v<Self, IAsyncSteps> || std::is_same_v<Self, IParallel>;

template <class Self>
class Chain;

/// What an adder returns that is called on a Self and is given these: the same, but what
/// can't be awaited if that would destroy them twice. [model-19]
template <class Self, class... X>
using Added = std::conditional_t<kDestroysTwice && isAwaited<Self> && (isFragile<X> || ...),
                                 Chain<Self>, Self&>;

}  // namespace steptree::detail
