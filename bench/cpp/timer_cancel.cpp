// An iteration of a loop sets a timeout and succeeds, which takes the timeout back.
#include "scenario.hpp"

namespace bench {
namespace {

void timerCancel(Run& run) {
    Driver driver;
    armOthers(driver);
    std::size_t sum = 0;
    Flow<Needs{.steps = 2, .timers = 1, .loops = 1}> flow{driver.tool};
    flow.repeat(static_cast<std::int64_t>(run.size), [&sum](IAsyncSteps& asi, std::size_t i) {
        sum += i;
        asi.setTimeout(farDelay(i));
        asi.success();
    });
    run.start();
    flow.execute();
    driver.finish(flow);
    run.stop();
    expectDeadlines(run, driver);
    run.expect("sum of the indices", sum, run.size * (run.size - 1) / 2);
}

const Scenario scenario{"timer_cancel", timerCancel};

}  // namespace
}  // namespace bench
