#include <string>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::IAsyncSteps;

namespace {
std::string codeOf(const steptree::Future<>& future) {
    try {
        future.get();
    } catch (const steptree::StepError& e) {
        return e.code();
    }
    return "ok";
}
}  // namespace

TEST_CASE("an endless loop lets timers run", "[asynctool][thread]") {
    AsyncTool tool;
    bool fired = false;
    AsyncSteps flow(tool);
    flow.add([](IAsyncSteps& asi) {
        asi.setTimeout(20);
        asi.loop([](IAsyncSteps&) {});
    });
    tool.deferred(5, [&] { fired = true; });
    const steptree::Future<> end = flow.promise();
    REQUIRE(end.waitFor(std::chrono::seconds(10)));
    CHECK(codeOf(end) == "Timeout");
    CHECK(fired);
}

TEST_CASE("an endless loop on a real tool does not starve timers", "[asynctool][thread]") {
    AsyncTool tool;
    AsyncSteps endless(tool);
    endless.loop([](IAsyncSteps& asi) {
        asi.add([](IAsyncSteps& asi) { asi.success(1); });
        asi.add([](IAsyncSteps&, int) {});
    });
    AsyncSteps ticking(tool);
    ticking.repeat(3, [](IAsyncSteps& asi, std::int64_t) {
        asi.add(
            [](IAsyncSteps& asi) {
                asi.setTimeout(2);
                asi.waitExternal();
            },
            [](IAsyncSteps& asi, const std::string&) { asi.success(); });
    });
    const steptree::Future<> end = endless.promise();
    const steptree::Canceller canceller = endless.canceller();
    ticking.execute([canceller](steptree::Outcome&) { canceller.cancel("seen enough"); });
    REQUIRE(end.waitFor(std::chrono::seconds(10)));
    CHECK(codeOf(end) == "Canceled");
}
