// As error_thrown, but without an exception.
#include "errors.hpp"

namespace bench {
namespace {

void errorNoThrow(Run& run) {
    runErrors(run, [](IAsyncSteps& asi) { asi.errorNoThrow("Refused"); });
}

const Scenario scenario{"error_nothrow", errorNoThrow};

}  // namespace
}  // namespace bench
