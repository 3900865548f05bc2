// Batches of flows that wait for an event from outside, and are then completed.
#include <algorithm>

#include "scenario.hpp"

namespace bench {
namespace {

using Waits = Flow<Needs{}>;

void runBatch(Driver& driver, Batch<Waits>& flows, Waiting& waiting, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        Waits& flow = flows.emplace(driver.tool);
        flow.add([&waiting](IAsyncSteps& asi) { waiting.wait(asi); });
        flow.execute();
    }
    while (waiting.size() < size) driver.iterate();
    waiting.completeAll();
    for (const Waits& flow : flows) driver.finish(flow);
    flows.clear();
}

void parallel(Run& run) {
    Driver driver;
    const std::size_t room = std::min(run.size, kWaiting);
    Batch<Waits> flows(room);
    Waiting waiting(room);
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        runBatch(driver, flows, waiting, size);
        left -= size;
    }
    run.stop();
    run.expect("flows that still wait", waiting.size(), 0U);
}

const Scenario scenario{"parallel", parallel};

}  // namespace
}  // namespace bench
