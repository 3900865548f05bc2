#pragma once

#include <cstddef>

#include "scenario.hpp"

namespace bench {

/// One flow after another is made, gets one trivial step, runs, and is destroyed.
inline void runSimple(Run& run, Driver& driver) {
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        Flow<Needs{}> flow{driver.tool};
        flow.add([&bodies](IAsyncSteps&) { ++bodies; });
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    run.expect("bodies", bodies, run.size);
}

}  // namespace bench
