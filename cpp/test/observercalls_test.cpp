#include "catch.hpp"
#include "steptree/asynctool.hpp"
#include "told.hpp"

/// What observers call, and what they are told by events then.

using namespace told;

TEST_CASE("a tool isn't run by its observers", "[observe]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    Lines codes;
    Lines lines;
    Observation second;
    const Observation first = tool.observe([&](const FlowEvent& event) {
        if (event.what() != "begun" && event.what() != "cancel") return;
        codes.push_back(codeOf([&] { tool.run(); }));
        codes.push_back(codeOf([&] { tool.advance(1); }));
    });
    second = tool.observe(into(lines));
    flow.add([&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { second.cancel(); }); });
    flow.execute();
    CHECK(lines == Lines{"begun"});
    tool.run();
    flow.cancel();
    CHECK(codes == Lines(4, "InternalError"));
    CHECK(lines == Lines{"begun", "turn", "opened 0 step", "waits 0 success", "cancel 0"});

    AsyncTool driven(AsyncTool::Driven{});
    AsyncSteps other(driven);
    const Observation third = driven.observe([&](const FlowEvent& event) {
        if (event.what() == "begun") codes.push_back(codeOf([&] { driven.iterate(); }));
    });
    other.add([](IAsyncSteps&) {});
    static_cast<void>(driven.iterate());
    other.execute();
    CHECK(codes == Lines(5, "InternalError"));
    CHECK(other.snapshot().state == "running");
    static_cast<void>(driven.iterate());
    CHECK(other.snapshot().state == "idle");
}
