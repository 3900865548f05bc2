#pragma once

#include <cstdint>
#include <string_view>

#include "step.hpp"

/// What the code that runs asks for: it is noted in its line until that code returns.
namespace steptree::detail {

/// The call is not allowed to the step in this phase.
[[noreturn]] void invalid(const Step& step, const char* call);
/// Of an error or loop control, the last one decides.
void dropError(Line& line) noexcept;
inline void latchFail(Line& line, ErrorRef error) noexcept {
    if ((line.marks & (kError | kControl)) != 0) dropError(line);
    line.error = error.detach();
    line.marks |= kError;
}
inline ErrorRef takeError(Line& line) noexcept {
    line.marks &= ~std::uint32_t{kError};
    return ErrorRef(line.error);
}
/// Whether a value was returned, and something else goes on. [model-135]
inline bool isBesideValue(const Line& line, const Step& step) noexcept {
    if ((line.marks & (kSuccess | kValue)) != kValue) return false;
    return step.next != nullptr || (line.marks & kExternal) != 0;
}
/// The nearest loop around the step that has the label, or any; null: there is none.
Step* findLoop(Step& from, std::string_view label) noexcept;
/// The loop of that number around the step, if it is still open.
Step* findLoop(Step& from, std::uint64_t number) noexcept;
void latchControl(Line& line, Step& loop, bool isBreak) noexcept;
void dropMarks(Line& line) noexcept;
inline void clearMarks(Line& line) noexcept {
    if ((line.marks & kError) != 0) dropMarks(line);
    line.marks = 0;
}

}  // namespace steptree::detail
