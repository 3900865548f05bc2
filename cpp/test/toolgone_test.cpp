#include <memory>
#include <string>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/promise.hpp"

using namespace rig;

TEST_CASE("the promise of a flow whose tool went first is Canceled", "[promise]") {
    auto tool = std::make_unique<VirtualTool>();
    steptree::Future<> future;
    {
        AsyncSteps flow(*tool);
        flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
        future = flow.promise();
        tool->run();
        tool.reset();
        CHECK_FALSE(future.settled());
    }
    REQUIRE(future.settled());
    CHECK(codeOf([&] { future.get(); }) == "Canceled");
}

TEST_CASE("a `done` whose tool went first is dropped, not kept", "[lifetime]") {
    auto tool = std::make_unique<VirtualTool>();
    const auto kept = std::make_shared<int>();
    {
        AsyncSteps flow(*tool);
        flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
        flow.execute([kept](Outcome&) {});
        tool->run();
        tool.reset();
    }
    CHECK(kept.use_count() == 1);
}

TEST_CASE("a flow that outlives its tool may fail", "[lifetime]") {
    auto tool = std::make_unique<VirtualTool>();
    VirtualTool& runs = *tool;
    AsyncSteps flow(*tool);
    flow.add([&](IAsyncSteps& asi) {
        tool.reset();
        asi.error("Late", "told on stderr");
    });
    flow.execute();
    runs.run();
    CHECK_FALSE(flow.running());
}
