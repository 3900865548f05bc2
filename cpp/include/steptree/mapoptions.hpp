#pragma once

#include <cstddef>

namespace steptree {

/// How `map` goes through its source.
struct MapOptions {
    /// How many items, and results that wait for their turn, there are at a time: at least 1. It
    /// has to be given, as an unbounded map is seldom meant.
    std::size_t limit = 0;
    /// Whether results come in the order of the source, else in that in which they are known.
    bool ordered = true;
};

}  // namespace steptree
