#include <limits>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/remaining.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Handle;
using steptree::IAsyncSteps;
using steptree::VirtualTool;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

TEST_CASE("timers for ever don't move the virtual clock, however many there are", "[timer]") {
    auto token = std::make_shared<int>(0);
    std::vector<Handle> handles;
    {
        VirtualTool tool;
        for (int i = 0; i < 40; ++i) {
            handles.push_back(tool.deferred(kInfinity, [token] { FAIL("fired"); }));
        }
        tool.run();
        CHECK(tool.now() == 0);
        CHECK(handles[39].valid());
        handles[39].cancel();
        CHECK(token.use_count() == 40);
        int fired = 0;
        tool.deferred(7, [&fired] { ++fired; });
        tool.run();
        CHECK(fired == 1);
        CHECK(tool.now() == 7);
    }
    CHECK(token.use_count() == 1);
    CHECK_FALSE(handles[0].valid());
}

TEST_CASE("a driven tool with nothing but timers for ever is left only when woken", "[timer]") {
    AsyncTool tool{AsyncTool::Driven{}};
    std::vector<Handle> handles;
    for (int i = 0; i < 40; ++i) handles.push_back(tool.deferred(kInfinity, [] {}));
    CHECK(tool.iterate().delay == AsyncTool::kNever);
}

TEST_CASE("a timeout for ever is no timer", "[timer]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    flow.add([&tool](IAsyncSteps& asi) {
        asi.setTimeout(kInfinity);
        CHECK(tool.armedTimers() == 0);
        CHECK(asi.remaining() == INT64_MAX);
        CHECK(remaining(asi) == std::chrono::milliseconds::max());
    });
    flow.execute();
    tool.run();
    CHECK(flow.running());
}

TEST_CASE("a timeout for ever can be replaced by a real one", "[timer]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    flow.add([](IAsyncSteps& asi) {
        asi.setTimeout(kInfinity);
        asi.setTimeout(20);
    });
    std::string end;
    flow.execute([&end](steptree::Outcome& outcome) { end = outcome.code; });
    tool.run();
    CHECK(end == "Timeout");
    CHECK(tool.now() == 20);
}
