// A step in a chain.
#include "step.hpp"

namespace bench {
namespace {

void step(Run& run) {
    Driver driver;
    runSteps(run, driver);
}

const Scenario scenario{"step", step};

}  // namespace
}  // namespace bench
