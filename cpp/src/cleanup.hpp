#pragma once

#include <cstdint>

#include "shelter.hpp"

/// Cleanups, for closing.cpp and unwind.cpp.
namespace steptree::detail {

/// It runs in its parent's cleanup.
inline bool isDeferred(Step& step) noexcept {
    return kindOf(step).element == PathElement::deferred;
}

/// In milliseconds.
std::int64_t graceOf(const Flow& flow) noexcept;
/// The step's. Throws bad_alloc.
Shelter& makeShelter(Step& step);
/// The frame is shielded from now on.
void shelter(Line& line, Step& step, Shelter& made) noexcept;
/// Counts from now on.
void armGrace(Line& line, Shelter& made) noexcept;
/// The step's cleanup begins: its deferred functions, if there are any, are its level now.
Shelter& beginCleanup(Line& line, Step& step, Shelter::State how) noexcept;
/// A deferred function of the step has failed.
void failCleanup(Line& line, Step& step, ErrorRef error) noexcept;
/// Nothing protects the frame any more; it is to be left.
void unshelter(Line& line, Step& step) noexcept;
/// Drops what it holds.
void destroyShelter(Shelter& shelter) noexcept;
/// What a deferred function that can't go on has failed with; Timeout if it is not over. Said once.
ErrorRef leftBy(Line& line, Step& step) noexcept;
/// Begins the next deferred function of the line's top, and does not wait for what that begins.
/// False: there is none.
bool callDeferred(Line& line, Step& step) noexcept;

/// Ends an open step with an ok that it owes more for than its leaving.
void endsWell(Line& line, Step& step) noexcept;
/// The level of a shielded frame, or of one that defers, has run.
Answer leaveShelter(Line& line, Step& step) noexcept;

}  // namespace steptree::detail
