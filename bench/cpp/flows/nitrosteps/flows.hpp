#pragma once

#include "needs.hpp"
#include "steptree/nitrosteps.hpp"

namespace bench {

/// Flows that have what they need from the beginning. A branch begins with a step of its parent's,
/// an item with one of its own; iterations take no place.
template <Needs needs>
using Flow = steptree::NitroSteps<
    steptree::MaxSteps<needs.steps + needs.branches - needs.loops>, steptree::MaxCapture<24>,
    steptree::MaxLoops<needs.loops>, steptree::MaxParallels<(needs.branches > 0 ? 1 : 0)>,
    steptree::MaxTimeouts<needs.timers>, steptree::MaxCancels<0>, steptree::MaxAwaits<0>,
    steptree::MaxMaps<needs.maps>, steptree::MaxBranches<needs.branches>,
    steptree::MaxBranchSteps<needs.maps>, steptree::MaxSyncs<needs.syncs>, steptree::MaxDones<0>>;

}  // namespace bench
