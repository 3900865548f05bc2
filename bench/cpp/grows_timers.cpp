// One flow after another sets a timeout and succeeds, while many others wait with one of their own.
#include "scenario.hpp"

namespace bench {
namespace {

template <std::size_t timerCount>
void growsTimers(Run& run) {
    using Waits = Flow<Needs{.timers = 1}>;
    Driver driver;
    Batch<Waits> flows(timerCount);
    Waiting waiting(timerCount);
    for (std::size_t i = 0; i < timerCount; ++i) {
        Waits& flow = flows.emplace(driver.tool);
        flow.add([&waiting, i](IAsyncSteps& asi) {
            asi.setTimeout(farDelay(i));
            waiting.wait(asi);
        });
        flow.execute();
    }
    while (waiting.size() < timerCount) driver.iterate();
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        Waits flow{driver.tool};
        flow.add([&bodies, i](IAsyncSteps& asi) {
            ++bodies;
            asi.setTimeout(farDelay(i));
            asi.success();
        });
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    expectDeadlines(run, driver);
    run.expect("bodies", bodies, run.size);
    run.expect("flows that wait", waiting.size(), timerCount);
}

const Scenario scenarios[] = {
    {"grows_timers_1k", growsTimers<1000>, kGrows},
    {"grows_timers_30k", growsTimers<30'000>, kGrows},
    {"grows_timers_300k", growsTimers<300'000>, kGrows},
    {"grows_timers_1M", growsTimers<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
