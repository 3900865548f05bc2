// Memory of a flow that waits in its first step, and of what its owner keeps to wake it.
#include "scenario.hpp"

namespace bench {
namespace {

void waitingBytes(Run& run) {
    using Waits = Flow<Needs{}>;
    Driver driver;
    Batch<Waits> flows(run.size);
    Waiting waiting(run.size);
    const std::size_t before = residentBytes();
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        Waits& flow = flows.emplace(driver.tool);
        flow.add([&waiting](IAsyncSteps& asi) { waiting.wait(asi); });
        flow.execute();
    }
    while (waiting.size() < run.size) driver.iterate();
    run.stop();
    run.usesMemory(before, residentBytes());
    run.expect("flows that were completed", waiting.completeAll(), run.size);
    for (const Waits& flow : flows) driver.finish(flow);
}

const Scenario scenario{"waiting_bytes", waitingBytes, {.small = 10, .cold = true}};

}  // namespace
}  // namespace bench
