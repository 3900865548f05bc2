#pragma once

#include "step.hpp"

/// Steps with branches.
namespace steptree::detail {

bool startBranches(Line& line, Step& host) noexcept;
/// Nothing of it begins any more. The eldest that is open; null: none is.
Branch* stopBranches(Step& host) noexcept;
/// None that has started is to be looked at any more: drops what is left of the others.
void dropUnstarted(Step& host) noexcept;
void branchClosed(Branch& branch) noexcept;
/// It has ended with ok.
void branchDone(Branch& branch) noexcept;
/// A branch of an any has ended with an error. Whether it was the last one: `error` is what the
/// step fails with, then.
bool branchFailed(Branch& branch, ErrorRef& error) noexcept;

/// A step with branches fails by itself, not in its line's turn.
void failHost(Step& host, ErrorRef error) noexcept;

}  // namespace steptree::detail
