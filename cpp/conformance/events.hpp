#pragma once

#include "world.hpp"

namespace conformance {

/// Each event of the case's tool is a line of the trace from now on, with those of bodies or
/// without; or none any more.
void observe(World& world, const Json& how);

}  // namespace conformance
