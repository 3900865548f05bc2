#pragma once

#include <cstdint>
#include <string_view>

/// Whether steps know where their bodies were written: 1 or 0. A program's own decision; the
/// library is the same for both.
#ifndef STEPTREE_SOURCES
#ifdef NDEBUG
#define STEPTREE_SOURCES 0
#else
#define STEPTREE_SOURCES 1
#endif
#endif

#if STEPTREE_SOURCES && !defined(__clang__)
#include <source_location>
#endif

/// Outside of the other namespace, whose name g++ would leave out.
namespace steptree::types {

/// What a lambda is called: g++ says its function, clang its file and line.
template <class F>
constexpr const char* typeText() noexcept {
    return __PRETTY_FUNCTION__;
}

}  // namespace steptree::types

/// Where the bodies of steps were written, which are lambdas: each has a type of its own, and so a
/// place for that of its own. A step keeps nothing of it.
namespace steptree::detail {

/// Of a lambda: what the compiler calls it, and where it was added, as far as that was noted; any
/// thread may. Without std::atomic, as RefCount.
struct Written {
    const char* type;
    const char* file = nullptr;  // null: it was one of several parts
    std::uint32_t line = 0;      // 0: the same

    static constexpr std::uint32_t kSeveral = UINT32_MAX;  // the line, if it was in several places

    /// Most often there's nothing to store, which others would have to wait for.
    void note(const char* in, std::uint32_t at) noexcept {
        const std::uint32_t known = __atomic_load_n(&line, __ATOMIC_RELAXED);
        if (known == kSeveral) return;
        if (known == at && __atomic_load_n(&file, __ATOMIC_RELAXED) == in) return;
        if (!isIn(in) || !isAt(at)) __atomic_store_n(&line, kSeveral, __ATOMIC_RELAXED);
    }

    /// Where it was added; 0: that isn't known, or was in several places. Then `file` is known.
    std::uint32_t knownLine() const noexcept {
        const std::uint32_t known = __atomic_load_n(&line, __ATOMIC_ACQUIRE);
        return known == kSeveral ? 0 : known;
    }

  private:
    /// The first one says it. The line only follows from who is in the same file.
    bool isIn(const char* in) noexcept {
        const char* first = __atomic_load_n(&file, __ATOMIC_RELAXED);
        if (first == nullptr && __atomic_compare_exchange_n(&file, &first, in, false,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            return true;
        }
        return std::string_view(first) == in;
    }
    bool isAt(std::uint32_t at) noexcept {
        std::uint32_t first = __atomic_load_n(&line, __ATOMIC_RELAXED);
        if (first == 0 && __atomic_compare_exchange_n(&line, &first, at, false, __ATOMIC_RELEASE,
                                                      __ATOMIC_RELAXED)) {
            return true;
        }
        return first == at;
    }
};

/// One of the program's: those of this library say nothing.
template <class F>
constexpr bool isTheirLambda() noexcept {
    const std::string_view type = types::typeText<F>();
    constexpr auto none = std::string_view::npos;
    return type.find("lambda") != none && type.find("F = steptree::") == none &&
           type.find("include/steptree/") == none;
}
template <class F>
inline constexpr bool isLambda = isTheirLambda<F>();
template <class F>
inline constinit Written writtenAs{types::typeText<F>()};

/// The same, with where its body was written.
template <class F, class Ops>
constexpr Ops withSource(Ops ops) noexcept {
    if constexpr (STEPTREE_SOURCES && isLambda<F>) ops.written = &writtenAs<F>;
    return ops;
}

#if STEPTREE_SOURCES && !defined(__clang__)
using Here = std::source_location;

/// Who is given such a body was called there.
template <class F>
void noteSource(const Here& here) noexcept {
    if constexpr (isLambda<F>) writtenAs<F>.note(here.file_name(), here.line());
}
#else
struct Here {
    static constexpr Here current() noexcept { return {}; }
};

template <class F>
constexpr void noteSource(Here) noexcept {}
#endif

}  // namespace steptree::detail
