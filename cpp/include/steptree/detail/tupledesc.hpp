#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "steptree/detail/refcount.hpp"
#include "steptree/detail/typedesc.hpp"

namespace steptree::detail {

inline constexpr std::size_t kMaxValues = 4;
inline constexpr std::string_view kTooManyValues = "a step has at most 4 values";
#define STEPTREE_TOO_MANY_VALUES \
    [[deprecated("a step has at most 4 values, more fail it: put them into a struct")]]

inline constexpr std::size_t kInsideValues = 32;

/// What the engine knows of the values that one `success` gave. One static object a combination and
/// module.
struct TupleDesc {
    std::uint32_t count;
    std::uint32_t size;
    std::uint32_t align;
    bool trivial;  // may be copied as bytes, needs no destruction
    bool inside;   // small, and moves without throwing: lives where it is handed around
    bool shared;   // the first part of SharedValues
    const TypeDesc* types[kMaxValues];
    std::uint32_t offsets[kMaxValues];
};

/// Values that several see, and none changes while there is another one: they lie behind it. If
/// they are those of an outer one, only a number does that follows them.
struct SharedValues {
    TupleDesc desc;  // says that they are trivial
    SharedValues* outer = nullptr;
    void* places[kMaxValues]{};
    RefCount refs{};
};

template <class... T>
struct TupleDescOf {
    static constexpr TupleDesc make() {
        TupleDesc made{sizeof...(T),
                       0,
                       1,
                       (... && std::is_trivially_copyable_v<T>),
                       false,
                       false,
                       {&TypeDescOf<T>::desc...},
                       {}};
        for (std::size_t i = 0; i < sizeof...(T); ++i) {
            const TypeDesc& type = *made.types[i];
            made.size = (made.size + type.align - 1) / type.align * type.align;
            made.offsets[i] = made.size;
            made.size += type.size;
            if (type.align > made.align) made.align = type.align;
        }
        made.inside = made.size <= kInsideValues && made.align <= alignof(void*) &&
                      (... && std::is_nothrow_move_constructible_v<T>);
        return made;
    }
    static constexpr TupleDesc desc = make();
};

/// A value is kept as its decayed type; a C string as std::string, since nobody knows how long it
/// lives.
template <class T>
using Kept = std::conditional_t<std::is_same_v<std::decay_t<T>, const char*> ||
                                    std::is_same_v<std::decay_t<T>, char*>,
                                std::string, std::decay_t<T>>;

/// A std::string_view, a std::span or the like.
template <class R>
inline constexpr bool isView = requires {
    typename R::element_type;
    R::extent;
};
template <class Char, class Traits>
inline constexpr bool isView<std::basic_string_view<Char, Traits>> = true;
template <class T>
inline constexpr bool isView<std::initializer_list<T>> = true;

/// What several may be given, and the next step sees: refuses to compile what may be gone by then.
template <class... T>
constexpr bool checkNoViews() noexcept {
    static_assert((... && !isView<std::decay_t<T>>),
                  "a value is a view of what may be gone: give a std::string or a std::vector");
    return true;
}

}  // namespace steptree::detail
