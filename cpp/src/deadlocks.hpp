#pragma once

#include <string>
#include <vector>

#include "steptree/snapshot.hpp"

/// For snapshottext.cpp.
namespace steptree::detail {

/// Circles of lines of which each waits for a guard that the next one has, each once, in words.
std::vector<std::string> deadlocksIn(const std::vector<FlowSnapshot>& flows,
                                     const std::vector<GuardSnapshot>& guards);

}  // namespace steptree::detail
