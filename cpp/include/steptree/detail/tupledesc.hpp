#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "steptree/detail/typedesc.hpp"

namespace steptree::detail {

inline constexpr std::size_t kMaxValues = 4;
inline constexpr std::size_t kInsideValues = 32;

/// What the engine knows of the values that one `success` gave. One static object a combination and
/// module.
struct TupleDesc {
    std::uint32_t count;
    std::uint32_t size;
    std::uint32_t align;
    bool trivial;  // may be copied as bytes, needs no destruction
    bool inside;   // small, and moves without throwing: lives where it is handed around
    std::array<const TypeDesc*, kMaxValues> types;
    std::array<std::uint32_t, kMaxValues> offsets;
};

template <class... T>
struct TupleDescOf {
    static constexpr TupleDesc make() {
        TupleDesc desc{sizeof...(T),
                       0,
                       1,
                       (... && std::is_trivially_copyable_v<T>),
                       false,
                       {&TypeDescOf<T>::desc...},
                       {}};
        for (std::size_t i = 0; i < sizeof...(T); ++i) {
            const TypeDesc& type = *desc.types[i];
            desc.size = (desc.size + type.align - 1) / type.align * type.align;
            desc.offsets[i] = desc.size;
            desc.size += type.size;
            if (type.align > desc.align) desc.align = type.align;
        }
        desc.inside = desc.size <= kInsideValues && desc.align <= alignof(void*) &&
                      (... && std::is_nothrow_move_constructible_v<T>);
        return desc;
    }
    static constexpr TupleDesc desc = make();
};

/// A value is kept as its decayed type; a C string as std::string, since nobody knows how long it
/// lives.
template <class T>
using Kept = std::conditional_t<std::is_same_v<std::decay_t<T>, const char*> ||
                                    std::is_same_v<std::decay_t<T>, char*>,
                                std::string, std::decay_t<T>>;

}  // namespace steptree::detail
