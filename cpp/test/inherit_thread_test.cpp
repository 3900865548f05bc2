#include <memory>
#include <thread>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::IAsyncSteps;
using steptree::VirtualTool;

TEST_CASE("a tool whose thread has ended doesn't hold up who destroys its flows",
          "[asynctool][thread]") {
    auto token = std::make_shared<int>(0);
    int cancelled = 0;
    AsyncTool tool{AsyncTool::Driven{}};
    {
        AsyncSteps flow(tool);
        flow.add(
            [&, token](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { ++cancelled; }); });
        flow.execute();
        std::thread([&] {
            for (int i = 0; i < 3; ++i) tool.iterate();
        }).join();
        CHECK(flow.running());
    }
    CHECK(cancelled == 1);
    CHECK(token.use_count() == 1);
}

TEST_CASE("a tool that was made on a thread that has ended goes on elsewhere",
          "[virtualtool][thread]") {
    std::unique_ptr<VirtualTool> tool;
    std::unique_ptr<AsyncSteps> flow;
    int ran = 0;
    std::thread([&] {
        tool = std::make_unique<VirtualTool>();
        flow = std::make_unique<AsyncSteps>(*tool);
        flow->add([](IAsyncSteps& asi) { asi.waitExternal(); });
        flow->execute();
    }).join();
    flow->cancel();
    CHECK_FALSE(flow->running());
    flow->add([&ran](IAsyncSteps&) { ++ran; });
    flow->execute();
    tool->run();
    CHECK(ran == 1);
}
