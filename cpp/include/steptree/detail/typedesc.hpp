#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#define STEPTREE_DEMANGLES
#endif

namespace steptree::detail {

/// A type as a program writes it, where the compiler tells; for messages.
[[gnu::noinline]] inline std::string nameOf(const std::type_info& type) {
    std::string name = type.name();
#ifdef STEPTREE_DEMANGLES
    int status = 0;
    struct Text {
        char* const text;
        ~Text() { std::free(text); }
    } const demangled{abi::__cxa_demangle(type.name(), nullptr, nullptr, &status)};
    if (demangled.text != nullptr) name = demangled.text;
    constexpr std::string_view kString =
        "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
    for (std::size_t at = 0; (at = name.find(kString, at)) != std::string::npos;) {
        name.replace(at, kString.size(), "std::string");
    }
#endif
    return name;
}
#undef STEPTREE_DEMANGLES

/// What the engine knows of a value's type. One static object a type and module.
struct TypeDesc {
    const std::type_info* info;
    std::uint32_t size;
    std::uint32_t align;
    void (*move)(void* to, void* from);  // constructs `to`, leaves `from` alive
    void (*destroy)(void* value);        // null: nothing to do

    const char* name() const noexcept { return info->name(); }
    std::string text() const { return nameOf(*info); }
};

template <class T>
struct TypeDescOf {
    static_assert(std::is_nothrow_destructible_v<T>, "a value's destructor may not throw");

    static void move(void* to, void* from) { ::new (to) T(std::move(*static_cast<T*>(from))); }
    static void destroy(void* value) { static_cast<T*>(value)->~T(); }
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
