// One simple flow after another, while many others wait.
#include "simple.hpp"

namespace bench {
namespace {

template <std::size_t flowCount>
void growsSimple(Run& run) {
    Driver driver;
    Batch<Flow<Needs{}>> flows(flowCount);
    Waiting waiting(flowCount);
    for (std::size_t i = 0; i < flowCount; ++i) {
        auto& flow = flows.emplace(driver.tool);
        flow.add([&waiting](IAsyncSteps& asi) { waiting.wait(asi); });
        flow.execute();
    }
    while (waiting.size() < flowCount) driver.iterate();
    runSimple(run, driver);
    run.expect("flows that wait", waiting.size(), flowCount);
}

const Scenario scenarios[] = {
    {"grows_simple_1k", growsSimple<1000>, kGrows},
    {"grows_simple_30k", growsSimple<30'000>, kGrows},
    {"grows_simple_300k", growsSimple<300'000>, kGrows},
    {"grows_simple_1M", growsSimple<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
