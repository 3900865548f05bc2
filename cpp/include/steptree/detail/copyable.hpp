#pragma once

#include <type_traits>

namespace steptree::detail {

/// Whether values can be copied in fact: a vector says so of itself, whatever its items are.
template <class T>
constexpr bool copyable() {
    if constexpr (!std::is_copy_constructible_v<T>) {
        return false;
    } else if constexpr (requires { typename T::value_type; }) {
        using Item = typename T::value_type;
        if constexpr (std::is_same_v<std::remove_cv_t<Item>, T> || std::is_void_v<Item>) {
            return true;
        } else {
            return copyable<Item>();
        }
    } else {
        return true;
    }
}

}  // namespace steptree::detail
