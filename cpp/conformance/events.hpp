#pragma once

#include "world.hpp"

namespace conformance {

/// Each event of the case's tool is a line of the trace from now on, with those of bodies or
/// without; or none any more. At one of them the observer may cancel its flow.
void observe(World& world, const Json& action);

}  // namespace conformance
