#include <memory>
#include <string>
#include <thread>

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
        REQUIRE(future.settled());
    }
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

TEST_CASE("a flow that its own `done` keeps goes with its tool", "[lifetime]") {
    const auto connection = std::make_shared<int>();
    int cancelled = 0;
    const auto start = [&](steptree::Tool& tool) {
        auto flow = std::make_shared<AsyncSteps>(tool);
        flow->add([&cancelled, connection](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { ++cancelled; });
        });
        flow->execute([flow](Outcome&) {});
    };
    SECTION("it waits") {
        auto tool = std::make_unique<VirtualTool>();
        for (int i = 0; i < 3; ++i) start(*tool);
        tool->run();
        tool.reset();
        CHECK(cancelled == 3);
    }
    SECTION("it was executed on another thread") {
        auto tool = std::make_unique<VirtualTool>();
        std::thread([&] {
            start(*tool);
            start(*tool);
        }).join();
        SECTION("and waits") {
            tool->run();
            tool.reset();
            CHECK(cancelled == 2);
        }
        SECTION("and has not begun") {
            tool.reset();
            CHECK(cancelled == 0);
        }
    }
    SECTION("the tool goes in its body") {
        auto tool = std::make_unique<VirtualTool>();
        VirtualTool& runs = *tool;
        auto flow = std::make_shared<AsyncSteps>(runs);
        flow->add([&, connection](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { ++cancelled; });
            tool.reset();
        });
        flow->execute([flow = std::move(flow)](Outcome&) {});
        runs.run();
        CHECK(cancelled == 1);
    }
    CHECK(connection.use_count() == 1);
}

TEST_CASE("closed() is Canceled where the tool goes first", "[lifetime]") {
    auto tool = std::make_unique<VirtualTool>();
    AsyncSteps flow(*tool);
    flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    flow.execute();
    const auto closed = flow.closed();
    tool.reset();
    REQUIRE(closed.settled());
    CHECK(codeOf([&] { closed.get(); }) == "Canceled");
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
