#pragma once

#include "world.hpp"

namespace conformance {

/// Runs one case and gives its `trace`; and, if it has a list of choices, the `alternatives` that
/// there were. `last` sees what is left when nothing runs any more. Throws Fault if it can't be
/// run, or if a run of a flow has not ended just once.
Json runCase(MakeFlow makeFlow, const Json& program, void (*last)(World&) = nullptr);

/// The same in two parts: what the flows share, made again where it was if the world has values,
/// then the flows and the run.
void makeShared(World& world, const Json& program);
Json runIn(World& world, const Json& program, void (*last)(World&) = nullptr);

}  // namespace conformance
