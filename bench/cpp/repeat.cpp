// An iteration of a loop that counts.
#include "scenario.hpp"

namespace bench {
namespace {

void repeat(Run& run) {
    Driver driver;
    std::size_t sum = 0;
    Flow<Needs{.steps = 2, .loops = 1}> flow{driver.tool};
    flow.repeat(static_cast<std::int64_t>(run.size),
                [&sum](IAsyncSteps&, std::size_t i) { sum += i; });
    run.start();
    flow.execute();
    driver.finish(flow);
    run.stop();
    run.expect("sum of the indices", sum, run.size * (run.size - 1) / 2);
}

const Scenario scenario{"repeat", repeat};

}  // namespace
}  // namespace bench
