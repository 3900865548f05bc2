#pragma once

#include <cstddef>

namespace bench {

/// What a flow of a scenario holds at most at a time, for flows that are sized when they are
/// compiled.
struct Needs {
    std::size_t steps = 1;  // open and queued
    std::size_t branches = 0;
    std::size_t timers = 0;
    std::size_t loops = 0;
    std::size_t syncs = 0;
    std::size_t maps = 0;
};

}  // namespace bench
