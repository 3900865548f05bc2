#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Canceller;
using steptree::IAsyncSteps;
using steptree::Outcome;
using steptree::OutcomeKind;
using steptree::VirtualTool;

TEST_CASE("a flow with a canceller goes unexecuted while its tool works", "[flow][thread]") {
    AsyncTool tool;
    AsyncSteps busy(tool);
    busy.loop([](IAsyncSteps& asi) {
        asi.setTimeout(0);
        asi.waitExternal().success();
    });
    busy.execute();
    for (int i = 0; i < 500; ++i) {
        Canceller canceller;
        {
            AsyncSteps flow(tool);
            canceller = flow.canceller();
            canceller.cancel();
        }
        canceller.cancel();
    }
    CHECK(busy.running());
}

TEST_CASE("a flow that is gone before its execute has arrived is not touched", "[flow][thread]") {
    auto token = std::make_shared<int>(0);
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    flow->add([token](IAsyncSteps&) { FAIL("ran"); });
    std::thread([&] { flow->execute(); }).join();
    flow->cancel();
    CHECK_FALSE(flow->running());
    flow.reset();
    CHECK(token.use_count() == 1);
    tool.run();
}
