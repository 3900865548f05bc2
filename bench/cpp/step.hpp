#pragma once

#include <cstddef>

#include "scenario.hpp"

namespace bench {

/// Flows of 100 trivial steps, one after the other. An operation is a step.
inline void runSteps(Run& run, Driver& driver) {
    constexpr std::size_t kSteps = 100;
    std::size_t bodies = 0;
    const std::size_t flows = (run.size + kSteps - 1) / kSteps;
    run.start();
    for (std::size_t i = 0; i < flows; ++i) {
        Flow<Needs{.steps = kSteps}> flow{driver.tool};
        for (std::size_t s = 0; s < kSteps; ++s) {
            flow.add([&bodies](IAsyncSteps&) { ++bodies; });
        }
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    run.performed(flows * kSteps);
    run.expect("bodies", bodies, flows * kSteps);
}

}  // namespace bench
