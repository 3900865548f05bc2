#pragma once

#include "budget.hpp"
#include "step.hpp"

/// Sections that a guard lets in.
namespace steptree::detail {

/// The lock is taken: runs the body.
bool enterSync(Line& line, Step& sync, Budget& budget) noexcept;
/// A closing reaches the lock step: whether the lock is owed to its guard shows now.
void leaveLock(Line& line, Step& lock) noexcept;
/// The lock was taken, but is not the section's, since the step's cleanup has failed.
void refuseLock(Step& lock) noexcept;
/// The step is left.
void payOwed(Step& step) noexcept;

}  // namespace steptree::detail
