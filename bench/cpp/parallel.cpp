// Batches of flows that wait for an event from outside, and are then completed.
#include <algorithm>

#include "scenario.hpp"

namespace bench {
namespace {

using Waits = Flow<Needs{}>;

std::size_t runBatch(Driver& driver, Batch<Waits>& flows, Waiting& waiting, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        Waits& flow = flows.emplace(driver.tool);
        flow.add([&waiting](IAsyncSteps& asi) { waiting.wait(asi); });
        flow.execute();
    }
    while (waiting.size() < size) driver.iterate();
    const std::size_t woken = waiting.completeAll();
    for (const Waits& flow : flows) driver.finish(flow);
    flows.clear();
    return woken;
}

void parallel(Run& run) {
    Driver driver;
    const std::size_t room = std::min(run.size, kWaiting);
    Batch<Waits> flows(room);
    Waiting waiting(room);
    std::size_t woken = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        woken += runBatch(driver, flows, waiting, size);
        left -= size;
    }
    run.stop();
    run.expect("flows that were completed", woken, run.size);
}

const Scenario scenario{"parallel", parallel};

}  // namespace
}  // namespace bench
