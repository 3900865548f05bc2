// An error is thrown three levels deep and handled by the first.
#include "errors.hpp"

namespace bench {
namespace {

void errorThrown(Run& run) {
    runErrors(run, [](IAsyncSteps& asi) { asi.error("Refused"); });
}

const Scenario scenario{"error_thrown", errorThrown};

}  // namespace
}  // namespace bench
