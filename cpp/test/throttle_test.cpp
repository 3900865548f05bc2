#include "steptree/throttle.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;
using namespace steptree;

namespace {

/// When so many lines entered that came at random times of 500 ms.
std::vector<std::int64_t> entriesOf(const ThrottleOptions& options, unsigned seed) {
    std::mt19937 random(seed);
    VirtualTool tool;
    Throttle throttle(options);
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<std::int64_t> entries;
    for (int i = 0; i < 200; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        AsyncSteps& flow = *flows.back();
        flow.sync(throttle, [&](IAsyncSteps&) { entries.push_back(tool.now()); });
        tool.deferred(static_cast<std::int64_t>(random() % 500), [&flow] { flow.execute(); });
        if (random() % 8 == 0) {
            tool.deferred(static_cast<std::int64_t>(random() % 800), [&flow] { flow.cancel(); });
        }
    }
    tool.run();
    return entries;
}

/// The most entries in [t, t + period) for any t.
std::int64_t mostIn(const std::vector<std::int64_t>& entries, std::int64_t period) {
    std::int64_t most = 0;
    for (std::size_t from = 0, to = 0; from < entries.size(); ++from) {
        while (to < entries.size() && entries[to] < entries[from] + period) ++to;
        most = std::max(most, static_cast<std::int64_t>(to - from));
    }
    return most;
}

}  // namespace

TEST_CASE("limits of a throttle are checked", "[throttle]") {
    CHECK(codeOf([] { Throttle throttle(0); }) == errors::InternalError);
    CHECK(codeOf([] { Throttle throttle(1, 0); }) == errors::InternalError);
    CHECK(codeOf([] { Throttle throttle(1, std::nan("")); }) == errors::InternalError);
    CHECK(codeOf([] { Throttle throttle(1, std::chrono::seconds(1), -1); }) ==
          errors::InternalError);
    CHECK(codeOf([] { Throttle throttle(ThrottleOptions{.capacity = -1}); }) ==
          errors::InternalError);
    CHECK(codeOf([] { Throttle throttle(1, std::chrono::microseconds(1)); }) == "nothing");
}

TEST_CASE("each algorithm keeps what it promises", "[throttle]") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const std::int64_t max = 1 + seed % 5;
        const std::int64_t period = 7 + seed % 11;
        ThrottleOptions options{.max = max, .period = period, .maxQueue = kUnlimited};
        CHECK(mostIn(entriesOf(options, seed), period) <= 2 * max);
        options.algorithm = ThrottleAlgorithm::sliding;
        CHECK(mostIn(entriesOf(options, seed), period) <= max);
        options.algorithm = ThrottleAlgorithm::bucket;
        options.capacity = max + 2;
        const auto entries = entriesOf(options, seed);
        for (std::int64_t time = 1; time < 40; ++time) {
            CHECK(mostIn(entries, time) * period <= (time - 1) * max + options.capacity * period);
        }
    }
}

TEST_CASE("a refusal says when to come again", "[throttle]") {
    VirtualTool tool;
    for (const auto algorithm :
         {ThrottleAlgorithm::fixed, ThrottleAlgorithm::sliding, ThrottleAlgorithm::bucket}) {
        Throttle throttle({.max = 1, .period = 50, .algorithm = algorithm});
        AsyncSteps flow(tool);
        std::int64_t retryAfter = 0;
        flow.sync(
            throttle, [](IAsyncSteps& asi) { asi.setTimeout(20); }, nullptr);
        AsyncSteps other(tool);
        other.add([](IAsyncSteps& asi) { asi.setTimeout(20); },
                  [](IAsyncSteps& asi, ErrorCode) { asi.success(); });
        other.add([&](IAsyncSteps& asi) { asi.sync(throttle, [](IAsyncSteps&) {}); },
                  [&](IAsyncSteps& asi, ErrorCode code) {
                      CHECK(code == errors::DefenseRejected);
                      retryAfter = asi.state().lastError()->retryAfter();
                      asi.success();
                  });
        flow.execute([](Outcome&) {});
        CHECK(run(tool, other) == "ok");
        CHECK(retryAfter == 30);
        CHECK(StepError("E").retryAfter() == -1);
    }
}

TEST_CASE("tools of one thread let their own lines in", "[throttle]") {
    VirtualTool one;
    VirtualTool two;
    Throttle throttle(1, 10, kUnlimited);
    AsyncSteps first(one);
    AsyncSteps second(one);
    AsyncSteps other(two);
    int in = 0;
    for (AsyncSteps* flow : {&first, &second, &other}) {
        flow->sync(throttle, [&in](IAsyncSteps&) { ++in; });
        flow->execute();
    }
    one.advance(0);
    two.advance(0);
    CHECK(in == 1);
    two.run();
    one.run();
    two.run();
    CHECK(in == 3);
}
