// A callback of the tool is scheduled for later and withdrawn.
#include "scenario.hpp"

namespace bench {
namespace {

void deferredCancel(Run& run) {
    Driver driver;
    armOthers(driver);
    std::size_t fired = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        driver.tool.deferred(10'000, [&fired] { ++fired; }).cancel();
    }
    run.stop();
    driver.iterate();
    run.expect("callbacks", fired, 0U);
}

const Scenario scenario{"deferred_cancel", deferredCancel};

}  // namespace
}  // namespace bench
