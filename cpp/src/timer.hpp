#pragma once

#include <cstdint>

#include "step.hpp"
#include "timeout.hpp"

/// Deadlines of steps.
namespace steptree::detail {

/// Sets the step's timer, which calls `fire`. Throws bad_alloc.
void armStep(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept = &fireTimeout);
void disarmStep(Step& step) noexcept;
[[noreturn]] void refuseDelay(const char* call, std::int64_t ms);
inline void checkDelay(const char* call, std::int64_t ms) {
    if (ms < 0) [[unlikely]]
        refuseDelay(call, ms);
}

}  // namespace steptree::detail
