#pragma once

#include "world.hpp"

namespace conformance {

/// Runs one case and gives its `trace`; and, if it has a list of choices, the `alternatives` that
/// there were. Throws Fault if it can't be run.
Json runCase(MakeFlow makeFlow, const Json& program);

}  // namespace conformance
