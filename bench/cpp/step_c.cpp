// As step, with bodies of C: steps are added and called through the C interface.
#include "scenario.hpp"
#include "steptree/chandles.hpp"

namespace bench {
namespace {

constexpr std::size_t kSteps = 100;

const steptree_error* count(steptree_step*, const steptree_args*, void* data) {
    ++*static_cast<std::size_t*>(data);
    return nullptr;
}

void stepC(Run& run) {
    Driver driver;
    std::size_t bodies = 0;
    const std::size_t flows = (run.size + kSteps - 1) / kSteps;
    const steptree_add_api& add = *steptree_host(STEPTREE_ABI, nullptr)->add;
    const steptree_closure closure{&count, &bodies, nullptr, nullptr, nullptr};
    run.start();
    for (std::size_t i = 0; i < flows; ++i) {
        Flow<Needs{.steps = kSteps}> flow{driver.tool};
        steptree_adder* const to = STEPTREE_ADDER(steptree::cHandle(flow));
        for (std::size_t s = 0; s < kSteps; ++s) add.step(to, &closure);
        flow.execute();
        driver.finish(flow);
    }
    run.stop();
    run.performed(flows * kSteps);
    run.expect("bodies", bodies, flows * kSteps);
}

const Scenario scenario{"step_c", stepC};

}  // namespace
}  // namespace bench
