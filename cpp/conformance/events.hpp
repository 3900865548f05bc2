#pragma once

#include "world.hpp"

namespace conformance {

/// Each event of the case's tool is a line of the trace from now on, with those of bodies or
/// without; or none any more. At one of them the observer may cancel its flow.
void observe(World& world, const Json& action);
/// The last ones are kept from now on.
void makeRecorder(World& world, const Json& how);
/// What one has kept, each on a line of the trace.
void logRecording(World& world, const std::string& name);
void cancelRecorder(World& world, const std::string& name);
/// Waits that last so long are reported from now on; or no more.
void watchStalls(World& world, const Json& wait);

}  // namespace conformance
