#include <memory>
#include <utility>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

TEST_CASE("an idle flow may be cancelled that one of its own steps owns", "[cancel]") {
    VirtualTool tool;
    auto flow = std::make_shared<AsyncSteps>(tool);
    AsyncSteps* raw = flow.get();
    const auto count = std::make_shared<int>();
    flow->add([flow](IAsyncSteps&) {}).add([count = count](IAsyncSteps&) {});
    flow.reset();
    raw->cancel();
    CHECK(count.use_count() == 1);
}

TEST_CASE("a flow that a capture's destructor cancels ends as cancelled", "[cancel]") {
    Rig rig;
    rig.flow.add([gone = CancelsWhenGone(&rig.flow)](IAsyncSteps& asi) { asi.error("E"); });
    CHECK(rig.run() == "cancelled gone");
    rig.flow.add([gone = CancelsWhenGone(&rig.flow)](IAsyncSteps&) {});
    CHECK(rig.run() == "cancelled gone");
    rig.flow.add([](IAsyncSteps& asi) { asi.error("E"); })
        .add([gone = CancelsWhenGone(&rig.flow)](IAsyncSteps&) {});
    CHECK(rig.run() == "cancelled gone");
    rig.flow.add([gone = CancelsWhenGone(&rig.flow), &rig](IAsyncSteps& asi) {
        rig.tool.immediate([done = asi.waitExternal()]() mutable { done.success(); });
    });
    CHECK(rig.run() == "cancelled gone");
}
