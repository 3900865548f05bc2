#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace steptree::detail {

/// What the engine knows of a value's type. One static object a type and module.
struct TypeDesc {
    const std::type_info* info;
    std::uint32_t size;
    std::uint32_t align;
    void (*move)(void* to, void* from);  // constructs `to`, leaves `from` alive
    void (*destroy)(void* value);        // null: nothing to do

    const char* name() const noexcept { return info->name(); }
};

template <class T>
struct TypeDescOf {
    static_assert(std::is_nothrow_destructible_v<T>, "a value's destructor may not throw");

    static void move(void* to, void* from) { ::new (to) T(std::move(*static_cast<T*>(from))); }
    static void destroy(void* value) { std::destroy_at(static_cast<T*>(value)); }
    static constexpr TypeDesc desc{&typeid(T), sizeof(T), alignof(T), &move,
                                   std::is_trivially_destructible_v<T> ? nullptr : &destroy};
};

/// Modules that were built apart have a description each, so equal addresses are only the quick
/// answer. Types of an unnamed namespace share a name without being one type.
inline bool sameType(const TypeDesc* one, const TypeDesc* other) noexcept {
    if (one == other) return true;
    return std::strcmp(one->name(), other->name()) == 0 &&
           std::strstr(one->name(), "_GLOBAL__N_") == nullptr;
}

}  // namespace steptree::detail
