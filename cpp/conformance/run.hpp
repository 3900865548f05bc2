#pragma once

#include <string>
#include <vector>

#include "world.hpp"

namespace conformance {

/// Runs one case and gives its trace. Throws Fault if it can't be run.
std::vector<std::string> runCase(MakeFlow makeFlow, const Json& program);

}  // namespace conformance
