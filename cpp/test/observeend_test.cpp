#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eachfails.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/run.hpp"
#include "told.hpp"

/// Where the last observer of a tool goes.

using namespace told;

TEST_CASE("the only observer may go at each event, and the flow with that turn", "[observe]") {
    for (int at = 0;; ++at) {
        eachfails::Poisoning pool;
        Mutex mutex;
        VirtualTool tool({.pool = &pool});
        int left = at;
        Observation watching;
        watching = tool.observe(
            [&](const FlowEvent&) {
                if (left-- == 0) watching.cancel();
            },
            {.bodies = true});
        tool.start(step([&](IAsyncSteps& asi) { fillWith(asi, mutex); }));
        tool.run();
        CAPTURE(at);
        CHECK(mutex.active() == 0);
        CHECK(tool.core().flowsLive.first() == nullptr);
        if (left >= 0) {
            CHECK(at > 60);
            break;
        }
    }
}

TEST_CASE("the last body of a flow or branch may end observing", "[observe]") {
    for (const int ends : {0, 1, 2}) {
        eachfails::Poisoning pool;
        VirtualTool tool({.pool = &pool});
        Lines lines;
        Observation watching = tool.observe(into(lines));
        int ran = 0;
        const auto body = [&](int at) {
            return [&, at](IAsyncSteps&) {
                ++ran;
                if (at == ends) watching.cancel();
            };
        };
        tool.start(step(body(0)));
        tool.start(step([&](IAsyncSteps& asi) { asi.parallel().add(body(1)).add(body(2)); }));
        tool.run();
        CAPTURE(ends);
        CHECK(ran == 3);
        CHECK(countOf(lines, "ended") == (ends == 0 ? 0 : 1));
        CHECK(tool.core().flowsLive.first() == nullptr);
    }
}

TEST_CASE("a flow of the tool's that was observed is kept for the next one as others are",
          "[observe]") {
    const auto keptAfter = [](bool observes, bool inBody) {
        VirtualTool tool;
        Lines lines;
        Observation watching;
        if (observes) watching = tool.observe(into(lines));
        tool.start(step([&](IAsyncSteps& asi) {
            if (inBody) watching.cancel();
            asi.setTimeout(5);
            asi.add(delay(1));
        }));
        tool.advance(0);
        watching.cancel();
        tool.run();
        CHECK(tool.core().flowsLive.first() == nullptr);
        return tool.core().flows();
    };
    for (const bool inBody : {false, true})
        CHECK(keptAfter(true, inBody) == keptAfter(false, inBody));
}

TEST_CASE("a turn in which observing ends goes on as if nobody had observed", "[observe]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    const auto value = steps([](IAsyncSteps&) {}, [](IAsyncSteps&) {});
    Observation watching = tool.observe([](const FlowEvent&) {});
    flow.add([&](IAsyncSteps& asi) {
        watching.cancel();
        asi.repeat(1, value);
    });
    CHECK(run(tool, flow) == "ok");
    Lines lines;
    watching = tool.observe(into(lines));
    flow.add([](IAsyncSteps& asi) { asi.repeat(1, [](IAsyncSteps&) {}); });
    CHECK(run(tool, flow) == "ok");
    const Lines expected{"begun",
                         "turn",
                         "opened 0 step",
                         "opened 0/0 repeat",
                         "opened 0/0/#0 step",
                         "closed 0/0/#0 ok",
                         "closed 0/0 ok",
                         "closed 0 ok",
                         "ended ok"};
    CHECK(lines == expected);
}

TEST_CASE("observing may begin and end while a tool goes", "[observe]") {
    for (int at = 0;; ++at) {
        std::optional<VirtualTool> tool(std::in_place);
        VirtualTool& going = *tool;
        Observation watching;
        Observation again;
        int left = at;
        int told = 0;
        const auto begins = [&](IAsyncSteps&) {
            if (watching.valid()) return;
            again = going.observe([&](const FlowEvent&) {
                if (--told == -3) again.cancel();
            });
        };
        for (int i = 0; i < 3; ++i) {
            tool->start(step([&](IAsyncSteps& asi) {
                asi.setCancel(begins);
                asi.waitExternal();
            }));
        }
        tool->run();
        watching = tool->observe([&](const FlowEvent&) {
            ++told;
            if (left-- == 0) watching.cancel();
        });
        tool.reset();
        CAPTURE(at);
        CHECK_FALSE(watching.valid());
        CHECK_FALSE(again.valid());
        if (left >= 0) {
            CHECK(told >= 9);
            break;
        }
    }
}
