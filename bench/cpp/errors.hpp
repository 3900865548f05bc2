#pragma once

#include <cstddef>

#include "scenario.hpp"

namespace bench {

/// Flows whose third level fails by `raise(asi)`, and whose first level recovers.
template <class Raise>
void runErrors(Run& run, Raise raise) {
    Driver driver;
    std::size_t recovered = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        Flow<Needs{.steps = 3}> flow{driver.tool};
        flow.add(
            [raise](IAsyncSteps& asi) {
                asi.add([raise](IAsyncSteps& asi) {
                    asi.add([raise](IAsyncSteps& asi) { raise(asi); });
                });
            },
            [&recovered](IAsyncSteps& asi, steptree::ErrorCode code) {
                if (code == "Refused") ++recovered;
                asi.success();
            });
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    run.expect("errors that were handled", recovered, run.size);
}

}  // namespace bench
