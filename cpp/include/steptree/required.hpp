#pragma once

#include <type_traits>

namespace steptree {

namespace detail {

/// An integer takes no fractions.
template <class Given, class T>
concept NumberFor = std::is_arithmetic_v<Given> &&
    (std::is_floating_point_v<T> || std::is_integral_v<Given>);

}  // namespace detail

/// An option that has no default: who leaves it out is told so by the compiler. It is made of any
/// number of its kind, and used as a T. Guide: docs/limits.md#which-guard
///
///     const ChannelOptions options{.capacity = 16};  // without it: no
template <class T>
class Required {
  public:
    Required() = delete;
    template <detail::NumberFor<T> Given>
    constexpr Required(Given given) noexcept : value_(static_cast<T>(given)) {}  // NOLINT: implicit
    constexpr operator T() const noexcept { return value_; }                     // NOLINT: implicit

  private:
    T value_;
};

}  // namespace steptree
