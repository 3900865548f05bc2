#pragma once

#include <string>
#include <vector>

#include "ring.hpp"

namespace steptree::detail {

/// As JSON of the Trace Event Format.
std::string traceOf(const std::vector<ReadEvent>& events);

}  // namespace steptree::detail
