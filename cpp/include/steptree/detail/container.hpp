#pragma once

#include <type_traits>
#include <utility>
#include <vector>

/// Containers, as far as futures of them need to know.
namespace steptree::detail {

/// The same kind of container with other items; a vector where there's no such thing.
template <class C, class Item>
struct Rebind {
    using type = std::vector<Item>;
};
template <template <class...> class C, class Old, class... Rest, class Item>
requires requires {
    typename C<Item>::value_type;
}
struct Rebind<C<Old, Rest...>, Item> {
    using type = C<Item>;
};

template <class C>
concept IsMap = requires {
    typename C::mapped_type;
};

template <class C, class Item>
using Rebound = typename std::conditional_t<IsMap<C>, Rebind<void, Item>, Rebind<C, Item>>::type;

template <class C, class Item>
void append(C& container, Item&& item) {
    container.insert(container.end(), std::forward<Item>(item));
}

}  // namespace steptree::detail
