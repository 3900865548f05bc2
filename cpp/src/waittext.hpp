#pragma once

#include <string>

#include "steptree/snapshot.hpp"

/// What a line waits for, in words.
namespace steptree::detail {

std::string waitText(const WaitSnapshot& wait);
/// As JSON writes it, with a space before it; '' if it is: a name is the program's, and may hold
/// anything.
std::string quoted(const std::string& name);

}  // namespace steptree::detail
