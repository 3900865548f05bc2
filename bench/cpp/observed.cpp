// `step`, while its events are observed.
#include "step.hpp"
#include "steptree/observe.hpp"
#include "steptree/recorder.hpp"

namespace bench {
namespace {

void observed(Run& run) {
    Driver driver;
    std::size_t events = 0;
    const steptree::Observation watching =
        driver.tool.observe([&events](const steptree::FlowEvent&) { ++events; });
    runSteps(run, driver);
    run.expect("events", events >= 2 * run.size, true);
}

void recorded(Run& run) {
    Driver driver;
    const steptree::FlightRecorder recorder(driver.tool);
    runSteps(run, driver);
    run.expect("last event", recorder.events().back().what == "ended", true);
}

const Scenario observes{"observed", observed};
const Scenario records{"recorded", recorded};

}  // namespace
}  // namespace bench
