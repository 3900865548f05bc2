// Flows with one parallel step of ten trivial branches. An operation is a flow.
#include "scenario.hpp"

namespace bench {
namespace {

constexpr std::size_t kBranches = 10;

void parallel10(Run& run) {
    Driver driver;
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        Flow<Needs{.branches = kBranches}> flow{driver.tool};
        auto& branches = flow.parallel();
        for (std::size_t b = 0; b < kBranches; ++b) {
            branches.add([&bodies](IAsyncSteps&) { ++bodies; });
        }
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    run.expect("bodies", bodies, run.size * kBranches);
}

const Scenario scenario{"parallel10", parallel10};

}  // namespace
}  // namespace bench
