// The article's first workload: flows one after the other.
#include "simple.hpp"

namespace bench {
namespace {

void simple(Run& run) {
    Driver driver;
    runSimple(run, driver);
}

const Scenario scenario{"simple", simple};

}  // namespace
}  // namespace bench
