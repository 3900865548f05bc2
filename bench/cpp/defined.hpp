#pragma once

#include <cstddef>

#include "scenario.hpp"
#include "steptree/steps.hpp"

/// Step values: each is described once, before what is timed, and run many times.
namespace bench {

/// Runs the value in one flow after another, each made and destroyed as in `simple`.
template <Needs needs, class Value>
void runDefined(Run& run, const Value& value) {
    Driver driver;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        Flow<needs> flow{driver.tool};
        flow.add(value);
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
}

}  // namespace bench
