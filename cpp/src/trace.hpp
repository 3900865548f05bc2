#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ring.hpp"

namespace steptree::detail {

/// As JSON of the Trace Event Format. What is open then ends at that time of the tool.
std::string traceOf(const std::vector<ReadEvent>& events, std::int64_t until);

}  // namespace steptree::detail
