// Step values: what goes with the last run, and parts that are bodies alone.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/run.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::Values;

namespace {

/// Calls `act` when it goes.
template <class Act>
std::shared_ptr<void> whenGone(Act act) {
    return std::shared_ptr<void>(nullptr, [act](void*) { act(); });
}

}  // namespace

TEST_CASE("what goes with the last run of a value may end its flow", "[values]") {
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    int bodies = 0;
    const bool destroys = GENERATE(false, true);
    const bool isFirst = GENERATE(true, false);
    if (!isFirst) flow->add([](IAsyncSteps&) {});
    flow->add(step([&bodies, last = whenGone([&flow, destroys] {
                                 destroys ? flow.reset() : flow->cancel();
                             })](IAsyncSteps&) { ++bodies; }));
    flow->execute();
    tool.run();
    CHECK(bodies == 1);
    CHECK((flow == nullptr) == destroys);
    if (flow == nullptr) return;
    CHECK_FALSE(flow->running());
    flow->add(step([&bodies](IAsyncSteps&) { ++bodies; }));
    flow->execute();
    tool.run();
    CHECK(bodies == 2);
}

TEST_CASE("what goes with an inner step may cancel its flow", "[values]") {
    Rig rig;
    int bodies = 0;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.add(step([last = whenGone([&rig] { rig.flow.cancel("gone"); })](IAsyncSteps&) {}));
        asi.add([&bodies](IAsyncSteps&) { ++bodies; });
    });
    CHECK(rig.run() == "cancelled gone");
    CHECK(bodies == 0);
}

TEST_CASE("a flow that never runs lets go of its value", "[values]") {
    VirtualTool tool;
    bool gone = false;
    {
        AsyncSteps flow(tool);
        flow.add(step([last = whenGone([&gone] { gone = true; })](IAsyncSteps&) {}));
        CHECK_FALSE(gone);
    }
    CHECK(gone);
}

TEST_CASE("each part begins as new, whatever the one before was like", "[values]") {
    std::string said;
    const auto say = [&said](IAsyncSteps&) { said += '.'; };
    const auto two = step<Values<>, Values<int>>([](IAsyncSteps& asi) { asi.success(2); });
    const auto value = steps(
        say, [](IAsyncSteps&) { return 1; }, say, two,
        [&said](IAsyncSteps&, int two) { said += std::to_string(two); },
        [&said](IAsyncSteps& asi) {
            asi.setCancel([](IAsyncSteps&) {});
            asi.setTimeout(10);
            said += 'c';
            asi.success();
        },
        say, [&said](IAsyncSteps& asi) { asi.defer([&said](IAsyncSteps&) { said += 'd'; }); },
        [&said](IAsyncSteps& asi) { asi.add([&said](IAsyncSteps&) { said += 'i'; }); }, say,
        delay(1), say, [](IAsyncSteps& asi) { asi.waitExternal().success(); }, say);
    Rig rig;
    rig.flow.add(value).add(value);
    CHECK(rig.run() == "ok");
    CHECK(said == "..2c.di.....2c.di...");
}

TEST_CASE("an error of a part has its index, and no part follows", "[values]") {
    std::string path;
    int after = 0;
    const auto nothing = [](IAsyncSteps&) {};
    const auto value = steps(
                           nothing, nothing, [](IAsyncSteps& asi) { asi.error("E"); },
                           [&after](IAsyncSteps&) { ++after; })
                           .onError([&](IAsyncSteps& asi, ErrorCode) {
                               path = asi.state().asyncStack();
                               asi.success();
                           });
    Rig rig;
    rig.flow.add(nothing).add(value);
    CHECK(rig.run() == "ok");
    CHECK(path.find("1/2") != std::string::npos);
    CHECK(after == 0);
}

TEST_CASE("a sequence ends with its flow's budget, and goes on", "[values]") {
    VirtualTool tool;
    int bodies = 0;
    std::vector<int> seen;
    const auto body = [&bodies](IAsyncSteps&) { ++bodies; };
    const auto ten = steps(body, body, body, body, body, body, body, body, body, body);
    AsyncSteps flow(tool, {.burst = 3});
    AsyncSteps other(tool, {.burst = 1});
    flow.add(ten);
    other.repeat(4, [&](IAsyncSteps&) { seen.push_back(bodies); });
    flow.execute();
    other.execute();
    tool.run();
    CHECK(seen == std::vector<int>{3, 6, 9, 10});
    CHECK(bodies == 10);
}
