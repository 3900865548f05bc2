#pragma once

#include <cstddef>

#include "step.hpp"

/// What observers may be told of a line: of the steps around one that is shown all that have an
/// element, up to the root; but never what a lock is made of.
namespace steptree::detail {

inline bool isShown(const Step& step) noexcept {
    return (step.flags & kShown) != 0;
}

/// Nothing is told of what is inside of a lock.
bool isInLock(Step& step) noexcept;
/// The innermost step of the line that may be told, or the one around. Null: all of the line is
/// hidden, as those that a lock has are.
Step* innermostOf(Line& line) noexcept;
bool isHidden(Line& line) noexcept;
/// The innermost one that has been told, from `step` outwards; null: there is none.
Step* shownFrom(Step* step) noexcept;

/// One that is to be told as `opened`.
struct Unshown {
    Step* step;
    const char* kind;
};
/// Those around that are to be told, the innermost first in `into`; the outermost of them if there
/// is no room for all. How many there are.
std::size_t collect(Step& from, Unshown* into, std::size_t room) noexcept;

}  // namespace steptree::detail
