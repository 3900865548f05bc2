// Callbacks of the tool that are scheduled all at once, for the next 10 ms, and then run.
#include "scenario.hpp"

namespace bench {
namespace {

void timerFired(Run& run) {
    Driver driver;
    std::size_t fired = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        driver.tool.deferred(timerDelay(i), [&fired] { ++fired; });
    }
    while (fired < run.size) driver.iterate();
    run.stop();
    run.expect("callbacks", fired, run.size);
}

const Scenario scenario{"timer_fired", timerFired};

}  // namespace
}  // namespace bench
