#pragma once

#include <cstdint>

#include "step.hpp"

/// Deadlines of steps.
namespace steptree::detail {

/// Raises Timeout at the step.
void timeOut(Step& step) noexcept;
void fireTimeout(TimerNode* node) noexcept;
/// Sets the step's timer, which calls `fire`. Throws bad_alloc.
void armStep(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept = &fireTimeout);
void disarmStep(Step& step) noexcept;
[[noreturn]] void refuseDelay(const char* call, std::int64_t ms);
inline void checkDelay(const char* call, std::int64_t ms) {
    if (ms < 0) [[unlikely]]
        refuseDelay(call, ms);
}

}  // namespace steptree::detail
