#pragma once

#include "steptree/snapshot.hpp"
#include "world.hpp"

namespace conformance {

/// A snapshot as lines of the trace.
void log(World& world, const steptree::Snapshot& snapshot);
void log(World& world, const steptree::FlowSnapshot& flow);
/// What a line waits for, as such a line says it.
std::string waitText(const steptree::WaitSnapshot& wait);

}  // namespace conformance
