#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/iparallel.hpp"

using namespace rig;
using steptree::AsyncTool;

TEST_CASE("calls on a parallel return the parallel", "[parallel]") {
    Rig rig;
    steptree::Promise<> promise;
    int ran = 0;
    const auto body = [&](IAsyncSteps&) { ++ran; };
    rig.flow.parallel()
        .add(body)
        .loop([&](IAsyncSteps& asi) {
            ++ran;
            asi.breakLoop();
        })
        .repeat(1, body)
        .forEach(std::vector<int>{1}, [&](IAsyncSteps&, std::size_t, int&) { ++ran; })
        .await(promise.future())
        .add(body);
    promise.success();
    CHECK(rig.run() == "ok");
    CHECK(ran == 5);
}

TEST_CASE("adding a branch to a started parallel throws InternalError", "[parallel]") {
    Rig rig;
    std::string code;
    bool late = false;
    IParallel* parallel = nullptr;
    rig.flow.add([&](IAsyncSteps& asi) {
        parallel = &asi.parallel();
        parallel->add([&](IAsyncSteps&) {
            code = codeOf([&] { parallel->add([&](IAsyncSteps&) { late = true; }); });
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(code == "InternalError");
    CHECK_FALSE(late);
}

TEST_CASE("adding a branch after the maker's body has returned throws InternalError",
          "[parallel]") {
    Rig rig;
    std::vector<std::string> codes;
    Completion slow;
    IParallel* parallel = nullptr;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.add([&](IAsyncSteps& step) { slow = step.waitExternal(); });
        parallel = &asi.parallel();
        parallel->add([](IAsyncSteps&) {});
    });
    IParallel& ofRoot = rig.flow.parallel();
    rig.flow.execute();
    rig.tool.run();
    for (IParallel* made : {parallel, &ofRoot}) {
        codes.push_back(codeOf([&] { made->add([](IAsyncSteps&) {}); }));
    }
    CHECK(codes == std::vector<std::string>{"InternalError", "InternalError"});
    CHECK(slow.success());
    rig.tool.run();
    CHECK_FALSE(rig.flow.running());
}

TEST_CASE("closures of branches are destroyed however the parallel ends", "[parallel]") {
    auto token = std::make_shared<int>(0);
    Rig rig;
    const auto fill = [&](bool fails) {
        rig.flow.parallel()
            .add([token](IAsyncSteps& asi) { asi.waitExternal(); })
            .add([token, fails](IAsyncSteps& asi) {
                asi.add([token, fails](IAsyncSteps& inner) {
                    if (fails) inner.error("X");
                    inner.waitExternal();
                });
            })
            .repeat(3, [token](IAsyncSteps&) {});
    };
    fill(true);
    CHECK(rig.run() == "error X");
    CHECK(token.use_count() == 1);
    fill(false);
    CHECK(rig.run() == "waiting");
    CHECK(token.use_count() == 1);
    fill(false);
    rig.flow.cancel();
    CHECK(token.use_count() == 1);
}

TEST_CASE("branches that have not started go on in the next pass where the tool's time was up",
          "[parallel]") {
    struct Slow final : steptree::Clock {
        std::int64_t time = 0;
        std::int64_t nanoseconds() noexcept override { return time; }
    };
    Slow clock;
    steptree::AsyncTool tool{steptree::AsyncTool::Driven{.clock = &clock}};
    AsyncSteps flow(tool);
    std::vector<int> order;
    IParallel& branches = flow.parallel();
    for (int i = 0; i < 4; ++i) {
        branches.add([&order, &clock, i](IAsyncSteps&) {
            order.push_back(i);
            clock.time += 2'000'000;
        });
    }
    flow.execute();
    std::vector<std::size_t> ran;
    for (int i = 0; i < 10 && flow.running(); ++i) {
        tool.iterate();
        ran.push_back(order.size());
    }
    CHECK(order == std::vector<int>{0, 1, 2, 3});
    CHECK(ran == std::vector<std::size_t>{0, 1, 2, 3, 4, 4});
}

TEST_CASE("a tool that goes in the first body of a branch starts no other", "[parallel]") {
    auto token = std::make_shared<int>(0);
    auto tool = std::make_unique<VirtualTool>();
    auto flow = std::make_unique<AsyncSteps>(*tool);
    int ran = 0;
    IParallel& branches = flow->parallel();
    for (int i = 0; i < 3; ++i) {
        branches.add([&, token](IAsyncSteps&) {
            ++ran;
            tool.reset();
        });
    }
    flow->execute();
    tool->run();
    CHECK(ran == 1);
    flow.reset();
    CHECK(token.use_count() == 1);
}

TEST_CASE("cancelling a flow in the first body of a branch drops the others", "[parallel]") {
    auto token = std::make_shared<int>(0);
    Rig rig;
    int ran = 0;
    IParallel& branches = rig.flow.parallel();
    for (int i = 0; i < 3; ++i) {
        branches.add([&, token](IAsyncSteps&) {
            ++ran;
            rig.flow.cancel("enough");
        });
    }
    CHECK(rig.run() == "cancelled enough");
    CHECK(ran == 1);
    CHECK(token.use_count() == 1);
}

namespace {

struct Ticking : steptree::Clock {
    std::int64_t time = 1'000'000'000;
    std::int64_t nanoseconds() noexcept override { return time; }
};

}  // namespace

TEST_CASE("branches that have not begun when their parallel times out never do", "[parallel]") {
    Ticking clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    constexpr int kMany = 1000;
    int begun = 0, after = 0;
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(50);
            IParallel& branches = asi.parallel();
            for (int i = 0; i < kMany; ++i) {
                branches.add([&](IAsyncSteps& branch) {
                    ++begun;
                    clock.time += 1'000'000;
                    branch.waitExternal();
                });
            }
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) {
            after = begun;
            for (int i = 0; i < 100; ++i) {  // where the branches were
                asi.add([&tool, text = std::array<char, 100>{}](IAsyncSteps& inner) {
                    inner.add(delay(1));
                    static_cast<void>(text);
                });
            }
        });
    std::string end = "waiting";
    flow.execute([&end](Outcome& outcome) { end = outcome.code; });
    while (tool.iterate().work) clock.time += 1'000'000;
    CHECK(end.empty());
    CHECK(after > 0);
    CHECK(begun == after);
    CHECK(begun < kMany);
}

TEST_CASE("branches that end in their first turns take the memory of one", "[parallel][memory]") {
    constexpr int kMany = 10'000;
    const auto blocks = [](auto make) {
        const std::size_t before = allocations::count();
        VirtualTool tool;
        AsyncSteps flow(tool);
        flow.add([&](IAsyncSteps& asi) { make(asi); });
        CHECK(run(tool, flow) == "ok");
        return allocations::count() - before;
    };
    const auto body = [](IAsyncSteps& asi) { asi.success(1); };
    const std::size_t steps = blocks([&](IAsyncSteps& asi) {
        for (int i = 0; i < kMany; ++i) asi.add(body);
    });
    const std::size_t branches = blocks([&](IAsyncSteps& asi) {
        IParallel& parallel = asi.parallel();
        for (int i = 0; i < kMany; ++i) parallel.add(body);
    });
    CHECK(branches <= steps + 10);
}
