// A callback of the tool is scheduled for later and withdrawn.
#include "scenario.hpp"

namespace bench {
namespace {

void deferredCancel(Run& run) {
    Driver driver;
    armOthers(driver);
    std::size_t cancelled = 0;
    std::size_t fired = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        steptree::Handle timer = driver.tool.deferred(farDelay(i), [&fired] { ++fired; });
        const bool armed = isChecked(i) && timer.valid();
        timer.cancel();
        cancelled += armed && !timer.valid() ? 1 : 0;
    }
    run.stop();
    run.expect("cancelled", cancelled, checked(run.size));
    steptree::Handle left = driver.tool.deferred(1, [&fired] { ++fired; });
    while (left.valid()) driver.iterate();
    run.expect("fired", fired, 1U);
}

const Scenario scenario{"deferred_cancel", deferredCancel};

}  // namespace
}  // namespace bench
