// The article's flows in endless loops that are woken in turn.
#include "switches.hpp"

namespace bench {
namespace {

void parallelLoops(Run& run) {
    runSwitches(run, std::min(run.size, kWaiting));
}

const Scenario scenario{"parallel_loops", parallelLoops};

}  // namespace
}  // namespace bench
