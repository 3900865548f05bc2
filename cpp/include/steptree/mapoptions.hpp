#pragma once

#include <cstddef>

#include "steptree/detail/function.hpp"

namespace steptree {

/// How `map` goes through its source; R is the type of its results.
template <class R = void>
struct MapOptions {
    /// How many items, and results that wait for their turn, there are at a time: at least 1.
    std::size_t limit = 0;
    /// Whether results come in the order of the source, else in that in which they are known.
    bool ordered = true;
    /// Gets each result, and the number of its item, in the place of a list of all. What it throws
    /// fails the step; it may cancel the flow. [flow-74] [flow-78]
    detail::Function<void(R, std::size_t)> sink{};
};

/// Items without results.
template <>
struct MapOptions<void> {
    std::size_t limit = 0;
};

}  // namespace steptree
