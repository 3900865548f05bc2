// An iteration that adds one step.
#include "scenario.hpp"

namespace bench {
namespace {

void repeatStep(Run& run) {
    Driver driver;
    std::size_t sum = 0;
    Flow<Needs{.steps = 3, .loops = 1}> flow{driver.tool};
    flow.repeat(static_cast<std::int64_t>(run.size), [&sum](IAsyncSteps& asi, std::size_t i) {
        asi.add([&sum, i](IAsyncSteps&) { sum += i; });
    });
    run.start();
    flow.execute();
    driver.finish(flow);
    run.stop();
    run.expect("sum of the indices", sum, run.size * (run.size - 1) / 2);
}

const Scenario scenario{"repeat_step", repeatStep};

}  // namespace
}  // namespace bench
