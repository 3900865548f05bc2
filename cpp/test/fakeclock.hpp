#pragma once

#include <cstdint>

#include "steptree/asynctool.hpp"

/// Stands still, but for what a test adds, and for what each reading costs.
struct FakeClock : steptree::Clock {
    std::int64_t time = 1'000'000'000;
    std::int64_t perReading = 0;

    std::int64_t nanoseconds() noexcept override { return time += perReading; }
    void passMs(double ms) { time += static_cast<std::int64_t>(ms * 1'000'000); }
};
