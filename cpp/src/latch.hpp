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
/// What is wrong with what a body has said, if it was no error and no loop control; null: nothing.
/// [model-30] [model-135]
inline const char* contradiction(const Line& line, const Step& step) noexcept {
    const std::uint32_t marks = line.marks;
    if ((marks & kSuccessAgain) != 0) return "success was called twice";
    if ((marks & (kSuccess | kValue)) == 0) return nullptr;
    const bool isSuccess = (marks & kSuccess) != 0;
    if (step.next != nullptr) {
        return isSuccess ? "success and inner steps" : "a value was returned, and steps were added";
    }
    if (isSuccess || (marks & kExternal) == 0) return nullptr;
    return "a value was returned, and waitExternal was called";
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
