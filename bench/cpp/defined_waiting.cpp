// Memory of a run that waits in its step: the run, its future, and what is kept to wake it.
#include "defined.hpp"
#include "steptree/run.hpp"

namespace bench {
namespace {

void waitingBytes(Run& run) {
    Driver driver;
    Waiting waiting(run.size);
    const auto value = steptree::step([&waiting](IAsyncSteps& asi) { waiting.wait(asi); });
    std::vector<decltype(steptree::run(driver.tool, value))> runs;
    runs.reserve(run.size);
    const std::size_t before = residentBytes();
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) runs.push_back(steptree::run(driver.tool, value));
    while (waiting.size() < run.size) driver.iterate();
    run.stop();
    run.usesMemory(before, residentBytes());
    run.expect("runs that were completed", waiting.completeAll(), run.size);
    for (const auto& one : runs) {
        while (!one.settled()) driver.iterate();
    }
}

const Scenario scenario{"defined_waiting_bytes", waitingBytes, {.small = 10, .cold = true}};

}  // namespace
}  // namespace bench
