#pragma once

#include "enter.hpp"
#include "step.hpp"

/// An open step, as something that is left and closed. To leave it is to stop what it has begun,
/// and to call its cancel handler: it stays the line's top. To close it takes it from the line.
namespace steptree::detail {

struct CancelExtra;

void leaveParts(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept;

/// One frame: everything that it holds is let go, but it stays the top. `into` gets the errors that
/// are overtaken.
inline void leaveForGood(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    if (const auto exit = kindOf(step).exit) [[unlikely]]
        exit(line, step);
    leaveParts(line, step, passing, into);
}
inline Entered leave(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    leaveForGood(line, step, passing, into);
    return answer(line);
}
/// The first half of leaving a frame: it holds what it did, but for what is queued in it or it
/// waits in.
void beginLeaving(Line& line, Step& step, ErrorData* into) noexcept;

void callCancelHandler(Line& line, Step& step, ErrorData* error) noexcept;
/// Destroys a cancel handler that isn't called any more.
void forgetCancel(Step& step, CancelExtra& extra) noexcept;
/// Who listens to the step's signal is told, on the same ground.
void leaveSignal(Step& step) noexcept;

/// Leaves the line's top, however it ended.
[[gnu::always_inline]] inline void pop(Line& line, Step& step) noexcept {
    step.phase = Phase::closed;
    line.top = step.parent;
    if (kNothingOwned && (step.flags & kHolds) == 0) return;
    if ((step.flags & (kOwns | kOwed)) != 0 || step.extras != nullptr) destroy(step);
    if ((step.flags & kMarked) != 0) line.arena.reset(line.core(), step.mark);
}

/// The same of one that owes something.
void popOwing(Line& line, Step& step, const Why& why) noexcept;

/// Leaves the line's top for what `why()` says, which is asked if somebody may want to know.
template <class Ask>
[[gnu::always_inline]] inline void popAs(Line& line, Step& step, Ask why) noexcept {
    if ((step.flags & kOwed) != 0) [[unlikely]]
        return popOwing(line, step, why());
    pop(line, step);
}

/// Leaves the line's top with ok; its values are in the line's results.
inline void close(Line& line, Step& step) noexcept {
    releaseSlot(line);
    pop(line, step);
}

}  // namespace steptree::detail
