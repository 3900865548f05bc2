#pragma once

#include <cstdint>

#include "step.hpp"

/// Deadlines of steps, and steps that only wait.
namespace steptree::detail {

void armStep(Step& step, std::int64_t ms);
void disarmStep(Step& step) noexcept;
/// Raises Timeout at the step.
void timeOut(Step& step) noexcept;
[[noreturn]] void refuseDelay(const char* call, std::int64_t ms);
inline void checkDelay(const char* call, std::int64_t ms) {
    if (ms < 0) [[unlikely]]
        refuseDelay(call, ms);
}
/// Begins to wait. False: the line's turn is over.
bool startDelay(Line& line, Step& step) noexcept;

}  // namespace steptree::detail
