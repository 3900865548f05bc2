#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace conformance {

/// What becomes of a call that finds no memory.
enum class Then {
    thrown,   // it's an exception as any
    again,    // it is made once more
    leftOut,  // it is as if it had not been made
};

/// What the adapter knows of memory that is short: only a program that replaces operator new makes
/// it so.
struct Memory {
    static constexpr std::size_t kNone = SIZE_MAX;

    static inline thread_local bool mayFail = false;  // then a case may end as it never says
    static inline thread_local std::int64_t longest = 1'000;  // ms after which it is stopped then
    static inline thread_local bool starving = false;         // there is none at all any more
    static inline thread_local int quiet = 0;                 // above 0: no allocation is to fail
    static inline thread_local Then then = Then::thrown;
    static inline thread_local std::size_t calls = 0;      // that were made
    static inline thread_local std::size_t left = kNone;   // the one that is not made
    static inline thread_local std::size_t found = kNone;  // the last that found no memory
};

/// What the adapter does for itself, as long as this lives: its memory is no part of the test.
class Quiet {
  public:
    Quiet() noexcept { ++Memory::quiet; }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet() { --Memory::quiet; }
};

/// A call that finds no memory has done nothing: it may be made again, or never.
template <class Call>
void insist(Call call) {
    const std::size_t number = Memory::calls++;
    if (number == Memory::left) return;
    try {
        return call();
    } catch (const std::bad_alloc&) {
        if (Memory::then == Then::thrown) throw;
    }
    Memory::found = number;
    if (Memory::then == Then::again) call();
}

/// The same for a call that is made in any case.
template <class Call>
decltype(auto) always(Call call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
    }
    const Quiet quiet;
    return call();
}

}  // namespace conformance
