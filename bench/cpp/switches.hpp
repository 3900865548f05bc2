#pragma once

#include <algorithm>
#include <cstddef>

#include "scenario.hpp"

namespace bench {

/// `flowCount` flows in an endless loop; each iteration waits and is completed from outside, which
/// is one switch. Making the flows is not timed.
inline void runSwitches(Run& run, std::size_t flowCount) {
    using Loops = Flow<Needs{.steps = 2, .loops = 1}>;
    Driver driver;
    Batch<Loops> flows(flowCount);
    Waiting waiting(flowCount);
    std::size_t iterations = 0;
    for (std::size_t i = 0; i < flowCount; ++i) {
        Loops& flow = flows.emplace(driver.tool);
        flow.loop([&](IAsyncSteps& asi) {
            ++iterations;
            waiting.wait(asi);
        });
        flow.execute();
    }
    const std::size_t rounds = (run.size + flowCount - 1) / flowCount;
    while (waiting.size() < flowCount) driver.iterate();
    iterations = 0;
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) {
        waiting.completeAll();
        while (waiting.size() < flowCount) driver.iterate();
    }
    run.stop();
    run.performed(rounds * flowCount);
    run.expect("iterations", iterations, rounds * flowCount);
}

}  // namespace bench
