#pragma once

#include <string_view>

#include "door.hpp"
#include "step.hpp"

/// Leaving frames, and cancelling flows.
namespace steptree::detail {

void requestCancel(Flow& flow, std::string_view reason) noexcept;
void cancelNowOrLater(Flow& flow) noexcept;
/// `atOnce`: the flow goes, nothing of it can wait.
void cancelFlow(Flow& flow, bool atOnce = false) noexcept;

void leaveParts(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept;

/// One frame: everything that it holds is let go, but it stays the top. `into` gets the errors that
/// are overtaken.
inline void leaveForGood(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    if (const auto exit = kindOf(step).exit) [[unlikely]]
        exit(line, step);
    leaveParts(line, step, passing, into);
}
inline Went leave(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    leaveForGood(line, step, passing, into);
    return answer(line);
}
/// The first half of leaving a frame: it holds what it did, but for what is queued in it or it
/// waits in.
void beginLeaving(Line& line, Step& step, ErrorData* into) noexcept;

}  // namespace steptree::detail
