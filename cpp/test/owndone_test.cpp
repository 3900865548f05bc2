#include <memory>
#include <thread>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"

using namespace rig;

TEST_CASE("a flow may be destroyed in its own done", "[lifetime]") {
    auto token = std::make_shared<int>(0);
    VirtualTool tool;
    for (const bool waits : {false, true}) {
        auto flow = std::make_unique<AsyncSteps>(tool);
        flow->add([token, waits](IAsyncSteps& asi) {
            if (waits) asi.setTimeout(5);
        });
        int told = 0;
        flow->execute([&flow, &told, token](Outcome&) {
            flow.reset();
            told += static_cast<int>(token.use_count() > 1);
        });
        tool.run();
        CHECK(told == 1);
        CHECK(flow == nullptr);
        CHECK(token.use_count() == 1);
    }
}

TEST_CASE("a flow that another thread made may be destroyed in its own done",
          "[lifetime][thread]") {
    steptree::AsyncTool tool;
    steptree::Promise<void> gone;
    auto flow = std::make_unique<AsyncSteps>(tool);
    flow->add([](IAsyncSteps&) {});
    AsyncSteps& started = *flow;
    started.execute([flow = std::move(flow), &gone](Outcome&) mutable {
        flow.reset();
        gone.success();
    });
    gone.future().get();
}

TEST_CASE("a promise is told how its flow has ended, though that is gone by then", "[promise]") {
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    flow->add([&](IAsyncSteps& asi) {
        tool.immediate([&flow] { flow.reset(); });
        asi.success(7);
    });
    const steptree::Future<int> future = flow->promise<int>();
    tool.run();
    CHECK(flow == nullptr);
    REQUIRE(future.settled());
    CHECK(future.get() == 7);
}
