// Flows in endless loops that wait for one lock and get it in turn. An operation is a section.
#include "scenario.hpp"
#include "steptree/mutex.hpp"

namespace bench {
namespace {

void lockContended(Run& run) {
    using Rival = Flow<Needs{.steps = 3, .loops = 1, .syncs = 1}>;
    Driver driver;
    steptree::Mutex mutex;
    Batch<Rival> rivals(kRivals);
    Rival holder{driver.tool};
    Completion held;
    std::size_t sections = 0;
    holder.sync(mutex, [&held](IAsyncSteps& asi) { held = asi.waitExternal(); });
    holder.execute();
    for (std::size_t i = 0; i < kRivals; ++i) {
        Rival& rival = rivals.emplace(driver.tool);
        rival.loop(
            [&](IAsyncSteps& asi) { asi.sync(mutex, [&sections](IAsyncSteps&) { ++sections; }); });
        rival.execute();
    }
    driver.iterate();
    held.success();
    while (sections < kRivals) driver.iterate();
    const std::size_t before = sections;
    run.start();
    while (sections < before + run.size) driver.iterate();
    run.stop();
    run.performed(sections - before);
    for (Rival& rival : rivals) rival.cancel();
}

const Scenario scenario{"lock_contended", lockContended};

}  // namespace
}  // namespace bench
