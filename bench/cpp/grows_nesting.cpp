// Flows in which each step adds the next one inside of itself. An operation is a level.
#include "scenario.hpp"

namespace bench {
namespace {

struct Nest {
    std::size_t left;
    std::size_t* bodies;

    void operator()(IAsyncSteps& asi) const {
        ++*bodies;
        if (left > 1) asi.add(Nest{left - 1, bodies});
    }
};

template <std::size_t levels>
void growsNesting(Run& run) {
    Driver driver;
    std::size_t bodies = 0;
    const std::size_t flows = (run.size + levels - 1) / levels;
    run.start();
    for (std::size_t i = 0; i < flows; ++i) {
        Flow<Needs{.steps = levels}> flow{driver.tool};
        flow.add(Nest{levels, &bodies});
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    run.performed(flows * levels);
    run.expect("bodies", bodies, flows * levels);
}

const Scenario scenarios[] = {
    {"grows_nesting_1", growsNesting<1>},        {"grows_nesting_10", growsNesting<10>},
    {"grows_nesting_100", growsNesting<100>},    {"grows_nesting_1k", growsNesting<1000>},
    {"grows_nesting_10k", growsNesting<10'000>},
};

}  // namespace
}  // namespace bench
