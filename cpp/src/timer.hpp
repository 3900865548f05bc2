#pragma once

#include <cstdint>

#include "step.hpp"

/// Deadlines of steps.
namespace steptree::detail {

// ---- timeout.cpp
/// Of a step's own timer: raises Timeout at the step.
void fireTimeout(TimerNode* node) noexcept;
/// Of a shelter: its limit or its grace is over.
void fireShelter(TimerNode* node) noexcept;

// ---- timer.cpp
/// Sets the step's timer, which calls `fire`. Throws bad_alloc.
void armStep(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept = &fireTimeout);
void disarmStep(Step& step) noexcept;
[[noreturn]] void refuseDelay(const char* call, std::int64_t ms);
inline void checkDelay(const char* call, std::int64_t ms) {
    if (ms < 0) [[unlikely]]
        refuseDelay(call, ms);
}

}  // namespace steptree::detail
