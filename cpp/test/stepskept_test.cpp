// Step values: who keeps them, and what they take.

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "gate.hpp"
#include "smallstack.hpp"
#include "steptree/mutex.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/run.hpp"
#include "steptree/steps.hpp"

using namespace rig;
using steptree::ErrorCode;
using steptree::Future;

namespace {

using Token = std::shared_ptr<int>;

}  // namespace

TEST_CASE("a step value may go out of scope while it runs, and goes with its last run",
          "[values]") {
    const Token token = std::make_shared<int>(0);
    Gate gate;
    Rig rig;
    AsyncSteps other(rig.tool);
    {
        const auto inner = step([token](IAsyncSteps& asi) { asi.add([token](IAsyncSteps&) {}); });
        const auto value = steps(inner, gate.step(), [token](IAsyncSteps&) {
                           }).onError([token](IAsyncSteps&, ErrorCode) {
                             }).named("value");
        rig.flow.add(value);
        other.loop(value.timeout(1000));
    }
    rig.flow.execute();
    other.execute();
    rig.tool.advance(1);
    CHECK(token.use_count() > 1);
    other.cancel();
    CHECK(token.use_count() > 1);
    gate.open();
    rig.tool.run();
    CHECK(token.use_count() == 1);
}

TEST_CASE("captures are never copied, and may be such as can't be", "[values]") {
    int sum = 0;
    const auto value = steps([held = std::make_unique<int>(4)](IAsyncSteps&) { return *held; },
                             [&sum, held = std::make_unique<int>(3)](IAsyncSteps& asi, int four) {
                                 sum += four + *held;
                                 asi.error("E");
                             })
                           .onError([held = std::make_unique<int>(2)](IAsyncSteps& asi, ErrorCode) {
                               asi.success(*held);
                           });
    Rig rig;
    rig.flow.add(value).add(value);
    rig.flow.repeat(3, value);
    CHECK(rig.run() == "ok");
    CHECK(sum == 35);
}

TEST_CASE("a value that was moved from is refused, its copy isn't", "[values]") {
    auto value = step([](IAsyncSteps&) {});
    auto copy = value;
    const auto taken = std::move(value);
    Rig rig;
    CHECK(codeOf([&] { rig.flow.add(value); }) == "InternalError");
    CHECK(codeOf([&] { static_cast<void>(value.timeout(5)); }) == "InternalError");
    CHECK(codeOf([&] { static_cast<void>(steps(value)); }) == "InternalError");
    CHECK(codeOf([&] { rig.flow.loop(value); }) == "InternalError");
    rig.flow.add(taken).add(copy);
    copy = std::move(copy);
    CHECK(rig.run() == "ok");
}

TEST_CASE("a value outlives its tools, and a tool that goes lets go of it", "[values]") {
    const Token token = std::make_shared<int>(0);
    Gate gate;
    {
        const auto value = steps([token](IAsyncSteps&) {}, gate.step());
        for (int i = 0; i < 3; ++i) {
            Rig rig;
            Future<> result = steptree::run(rig.tool, value);
            rig.tool.run();
            CHECK_FALSE(result.settled());
        }
        CHECK(token.use_count() == 2);
    }
    CHECK(token.use_count() == 1);
}

TEST_CASE("threads share a value", "[values][thread]") {
    const auto length = [](IAsyncSteps&, const std::string& text) { return text.size(); };
    const auto value = steps([text = std::string(100, 'x')](IAsyncSteps&) { return text; },
                             all(length, steps(length)), retry({.max = 2}, shield(5, steps())));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([value] {
            VirtualTool tool;
            for (int round = 0; round < 200; ++round) {
                AsyncSteps flow(tool);
                flow.add(value.timeout(50)).repeat(2, value).add(value);
                flow.execute();
                tool.run();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST_CASE("values may stand in values a million deep", "[values]") {
    smallstack::run([] {
        std::int64_t runs = 0;
        Step<> value = step([&runs](IAsyncSteps&) { ++runs; });
        for (std::int64_t i = 0; i < smallstack::kDepth; ++i) {
            value = i % 4 == 0   ? Step<>(steps(value))
                    : i % 4 == 1 ? Step<>(shield(1'000'000, value))
                    : i % 4 == 2 ? Step<>(repeat(1, value))
                                 : Step<>(value.with());
        }
        Rig rig;
        rig.flow.add(value).add(value);
        CHECK(rig.run() == "ok");
        CHECK(runs == 2);
    });
}

TEST_CASE("bodies that capture values may be nested a million deep", "[values]") {
    smallstack::run([] {
        Step<> value = step([](IAsyncSteps&) {});
        for (std::int64_t i = 0; i < smallstack::kDepth; ++i) {
            value = step([value](IAsyncSteps&) { return value; });
        }
        Rig rig;
        rig.flow.add(value);
        value = step([](IAsyncSteps&) {});
        CHECK(rig.run() == "ok");
    });
}

// ---- memory

TEST_CASE("a run of a value takes nothing from the heap", "[values][memory]") {
    steptree::Mutex mutex;
    const auto value =
        steps([](IAsyncSteps&) { return 1; }, shield(5, [](IAsyncSteps&, int) {}),
              sync(mutex, delay(1)), repeat(3, steps([](IAsyncSteps&, std::int64_t) {})))
            .timeout(500)
            .onError([](IAsyncSteps&, ErrorCode) {});
    const auto branches = parallel(delay(1), value);
    VirtualTool tool;
    std::size_t before = 0;
    for (int round = 0; round < 40; ++round) {
        if (round == 20) before = allocations::count();
        AsyncSteps flow(tool);
        flow.add(value).add(branches);
        flow.execute();
        tool.run();
    }
    CHECK(allocations::count() == before);
}

TEST_CASE("a long sequence keeps none of the steps that have run", "[values][memory]") {
    VirtualTool tool;
    const Step<> one = step([](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
    const auto value = steps(std::vector<Step<>>(10'000, one));
    steptree::NitroSteps<steptree::MaxSteps<3>> flow(tool);
    flow.add(value);
    CHECK(run(tool, flow) == "ok");
}

TEST_CASE("a value runs in the memory of a NitroSteps, or is OutOfSteps", "[values][memory]") {
    VirtualTool tool;
    const auto fits = all(delay(1), delay(2));
    steptree::NitroSteps<steptree::MaxBranches<2>> flow(tool);
    flow.add(fits);
    CHECK(run(tool, flow) == "ok");
    flow.add(all(delay(1), delay(2), delay(3)));
    CHECK(run(tool, flow) == "error OutOfSteps");
}

// ---- run

TEST_CASE("run() gives a future, whose flow goes when it has ended", "[values]") {
    Gate gate;
    const Token token = std::make_shared<int>(7);
    Rig rig;
    Future<Token> late =
        steptree::run(rig.tool, steps(gate.step(), [token](IAsyncSteps&) { return token; }));
    Future<> fails = steptree::run(rig.tool, step([](IAsyncSteps& asi) { asi.error("E"); }));
    std::stop_source stop;
    Future<> stopped = steptree::run(rig.tool, delay(1000), {.signal = stop.get_token()});
    rig.tool.advance(1);
    CHECK(token.use_count() == 2);
    gate.open();
    stop.request_stop();
    rig.tool.run();
    CHECK(*late.get() == 7);
    CHECK(codeOf([&] { fails.get(); }) == "E");
    CHECK(codeOf([&] { stopped.get(); }) == "Canceled");
    CHECK(token.use_count() == 2);
}
