#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "step.hpp"
#include "steptree/detail/duration.hpp"

/// Deadlines of steps.
namespace steptree::detail {

// ---- timeout.cpp
/// Of a step's own timer: raises Timeout at the step.
void fireTimeout(TimerNode* node) noexcept;
/// The same with another code, whatever has been claimed for the step by then.
void failInTime(Step& step, std::string_view code) noexcept;
/// The same by a guard, which says who it is, and why.
void failInTime(Step& step, std::string_view code, const char* kind, const std::string& name,
                const char* why) noexcept;
/// Of a shelter: its limit or its grace is over.
void fireShelter(TimerNode* node) noexcept;

// ---- timer.cpp
/// Sets the step's timer, which calls `fire`. Throws bad_alloc.
void armStep(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept = &fireTimeout);
/// The same for a timer that raises `code`.
void armStep(Step& step, std::int64_t ms, std::string_view code);
void disarmStep(Step& step) noexcept;
/// What the step's timer raises.
std::string_view timeoutCode(Step& step) noexcept;
inline void checkDelay(const char* call, std::int64_t ms) {
    if (ms < 0) [[unlikely]]
        refuseTime(call, ms);
}

}  // namespace steptree::detail
