#pragma once

#include "closing.hpp"

/// What takes time to stop, for closing.cpp, unwind.cpp and await.cpp.
namespace steptree::detail {

// ---- stopping.cpp
/// Asks what the frame has begun to stop. Not null: that takes time; what closes the frame is to be
/// noted there.
Shelter* stopsWithin(Line& line, Step& step, ErrorData* into) noexcept;
/// The same; what goes through the frame is kept there.
bool stopsBefore(Line& line, Step& step, Way& way) noexcept;
/// It has ended, whatever it ended with.
void hasStopped(Step& step) noexcept;
/// The grace is over.
void stopsTooLong(Shelter& shelter) noexcept;
bool isStopping(Step& step) noexcept;
/// In the line's turn. Returns the line that goes on, if one does.
Line* afterStop(Line& line, Step& step) noexcept;

// ---- await.cpp
inline bool mayTakeTime(const Step& step) noexcept {
    return (step.flags & kLasts) != 0 && !step.hasBranches();
}
/// Whether what the step awaits goes on, and has not been asked to stop.
bool isAwaiting(Step& step) noexcept;
/// Whether it has not ended when that returns.
bool askToStop(Step& step) noexcept;
/// Nobody waits for it any longer.
void abandonAwaited(Step& step) noexcept;

// ---- cancel.cpp
/// The first half of leaving a frame: it holds what it did, but for what is queued in it or it
/// waits in.
void beginLeaving(Line& line, Step& step, ErrorData* into) noexcept;

}  // namespace steptree::detail
