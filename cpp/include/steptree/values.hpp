#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "steptree/results.hpp"

namespace steptree {

/// What a body returns that has several values for the next one: `return Values(user, cart)`. Of a
/// body that ends its step in another way it says what will be left: one that is `-> Values<User>`
/// may return `{}`, which is nothing, and call success() later. To step values it stands for the
/// types that they take or leave. Guide: docs/values.md#to-the-next-step
///
///     return Values(std::string("Ann"), 42);
template <class... T>
class Values {
    static_assert(sizeof...(T) <= detail::kMaxValues,
                  "a step has at most 4 values: put them into a struct");

  public:
    Values() noexcept { static_assert(detail::checkNoViews<T...>()); }
    template <class... X>
    requires(sizeof...(X) > 0 && sizeof...(X) == sizeof...(T) &&
             (std::is_constructible_v<T, X> && ...)) Values(X&&... values) {
        static_assert(detail::checkNoViews<T...>());
        kept_.set(T(std::forward<X>(values))...);
    }

    /// For the runtime.
    void giveTo(Results& into) {
        if (!kept_.empty()) into = std::move(kept_);
    }

  private:
    Results kept_;
};

/// The same, of none.
template <>
class Values<> {
  public:
    /// For the runtime.
    void giveTo(Results&) noexcept {}
};

template <class... X>
Values(X&&...) -> Values<detail::Kept<X>...>;

/// Values whose types are known when the steps run, and looked at then.
struct AnyValues {
    void giveTo(Results&) noexcept {}
};

namespace detail {

template <class V>
inline constexpr bool isValues = false;
template <class... T>
inline constexpr bool isValues<Values<T...>> = true;
template <>
inline constexpr bool isValues<AnyValues> = true;

}  // namespace detail
}  // namespace steptree
