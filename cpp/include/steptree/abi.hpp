#pragma once

#if defined(__cplusplus) && __cplusplus < 202002L
#error "steptree needs C++20: -std=c++20, or target_compile_features(... cxx_std_20)"
#endif

#include <cstdint>

#include "steptree/version.hpp"

namespace steptree {

/// Number of the binary interface between a host and what it loads. A plug-in exports the number
/// that it was built with; a host refuses a plug-in whose number differs from its own. It changes
/// with every change of a virtual function, of a struct that crosses the boundary, or of their
/// order. When a plug-in may be unloaded: see "Plug-ins" in spec/cpp.md.
inline constexpr std::uint32_t kAbi = 17;

}  // namespace steptree

#if defined(__GNUC__) && !defined(_WIN32)
#define STEPTREE_VISIBLE __attribute__((visibility("default")))
#define STEPTREE_HIDDEN __attribute__((visibility("hidden")))
#else
#define STEPTREE_VISIBLE
#define STEPTREE_HIDDEN
#endif
