// A loop of guarded sections: of a lock that nobody else wants, and of a limiter that is never hit.
#include "scenario.hpp"
#include "steptree/limiter.hpp"

namespace bench {
namespace {

void runAlone(Run& run, steptree::Guard& guard) {
    Driver driver;
    std::size_t sections = 0;
    Flow<Needs{.steps = 2, .loops = 1, .syncs = 1}> flow{driver.tool};
    flow.repeat(static_cast<std::int64_t>(run.size), [&](IAsyncSteps& asi, std::size_t) {
        asi.sync(guard, [&sections](IAsyncSteps&) { ++sections; });
    });
    run.start();
    flow.execute();
    driver.finish(flow);
    run.stop();
    run.expect("sections", sections, run.size);
}

void lock(Run& run) {
    steptree::Mutex mutex;
    runAlone(run, mutex);
}

void limiter(Run& run) {
    steptree::Limiter limiter({.concurrent = 1000, .rate = 1'000'000'000});
    runAlone(run, limiter);
}

const Scenario scenarios[] = {{"lock", lock}, {"limiter", limiter}};

}  // namespace
}  // namespace bench
