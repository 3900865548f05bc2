#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace steptree::detail {

/// A counter of the processor that costs a third of a reading of the clock: says that little time
/// has passed, not how much.
struct Ticks {
    /// So many take at most kMostNanoseconds: none runs at less than 500 MHz.
    static constexpr std::uint64_t kFew = 8192;
    static constexpr std::int64_t kMostNanoseconds = 16'384;

    /// Whether there is one that never stops nor changes its speed.
    static bool steady() noexcept {
#if defined(__x86_64__)
        static const bool invariant = [] {
            unsigned a = 0, b = 0, c = 0, d = 0;
            return __get_cpuid(0x8000'0007, &a, &b, &c, &d) != 0 && (d & 0x100) != 0;
        }();
        return invariant;
#else
        return false;
#endif
    }

    static std::uint64_t now() noexcept {
#if defined(__x86_64__)
        return __builtin_ia32_rdtsc();
#else
        return 0;
#endif
    }
};

}  // namespace steptree::detail
