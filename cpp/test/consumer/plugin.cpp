#include <steptree/iasyncsteps.hpp>

extern "C" void steps(steptree::IAsyncSteps& asi) {
    asi.add([](steptree::IAsyncSteps& asi) { asi.success(1); });
}
