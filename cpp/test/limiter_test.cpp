#include "steptree/limiter.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;
using namespace steptree;

TEST_CASE("limits of a limiter are checked", "[limiter]") {
    CHECK(codeOf([] { Limiter limiter({.concurrent = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Limiter limiter({.rate = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Limiter limiter({.rate = 1, .burst = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { ThreadLimiter limiter({.period = -1}); }) == errors::InternalError);
    CHECK(codeOf([] { Limiter limiter({.burst = 1}); }) == errors::InternalError);
    CHECK(codeOf([] { Limiter limiter; }) == "nothing");
}

/// Waits for both, is cancelled while it waits for either, is refused by either: no place is lost.
TEST_CASE("a limiter is free again when all have gone", "[limiter][memory]") {
    VirtualTool tool;
    Limiter limiter({.concurrent = 2, .maxQueue = 6, .rate = 3, .period = 10});
    std::size_t before = 0;
    for (int round = 0; round < 40; ++round) {
        if (round == 20) before = allocations::count();
        AsyncSteps flows[8] = {AsyncSteps(tool), AsyncSteps(tool), AsyncSteps(tool),
                               AsyncSteps(tool), AsyncSteps(tool), AsyncSteps(tool),
                               AsyncSteps(tool), AsyncSteps(tool)};
        int ended = 0;
        for (AsyncSteps& flow : flows) {
            flow.add([&limiter](IAsyncSteps& asi) { asi.sync(limiter, [](IAsyncSteps&) {}); },
                     [](IAsyncSteps& asi, ErrorCode) { asi.success(); });
            flow.add([&ended](IAsyncSteps&) { ++ended; });
            flow.execute();
        }
        tool.advance(round % 3 == 0 ? 0 : 3);
        flows[round % 8].cancel();
        flows[(round * 3 + 1) % 8].cancel();
        tool.run();
        CHECK(ended >= 5);
        tool.advance(20);
        AsyncSteps last(tool);
        bool in = false;
        last.sync(limiter, [&in](IAsyncSteps&) { in = true; });
        last.execute();
        tool.run();
        REQUIRE(in);
    }
    // A refusal is an error, and those that are seen are made on the heap by nobody but handlers.
    CHECK(allocations::count() == before);
}

TEST_CASE("what a limiter's mutex refuses fails the section itself", "[limiter]") {
    VirtualTool tool;
    Limiter limiter({.concurrent = 1, .maxQueue = 0, .rate = 10});
    AsyncSteps holder(tool);
    holder.sync(limiter, [](IAsyncSteps& asi) { asi.waitExternal(); });
    holder.execute();
    std::string path;
    AsyncSteps refused(tool);
    refused.add(
        [&limiter](IAsyncSteps& asi) { asi.sync(limiter, [](IAsyncSteps&) { FAIL("ran"); }); },
        [&path](IAsyncSteps& asi, ErrorCode) { path = asi.state().asyncStack(); });
    CHECK(run(tool, refused) == "error DefenseRejected");
    CHECK(path == "0/0");
}

TEST_CASE("a limiter whose lock finds no memory keeps no place", "[limiter][memory]") {
    struct Some {
        std::array<char, 40> bytes{};
    };
    int failures = 0;
    for (int n = 0; n < 40; ++n) {
        VirtualTool tool;
        Limiter limiter({.concurrent = 1, .rate = 1, .period = 10});
        AsyncSteps first(tool);
        first.sync(limiter, [](IAsyncSteps&) {});
        first.execute();
        tool.advance(0);
        std::optional<allocations::Failing> failing;
        AsyncSteps flow(tool);
        flow.add(
            [&](IAsyncSteps& asi) {
                for (int i = 0; i < n; ++i) asi.stack<Some>();
                asi.sync(limiter, [](IAsyncSteps&) {});
                failing.emplace(0, SIZE_MAX);
            },
            [&](IAsyncSteps& asi, ErrorCode code) {
                CHECK(code == errors::InternalError);
                ++failures;
                asi.success();
            });
        flow.execute();
        tool.advance(0);
        failing.reset();
        tool.run();
        AsyncSteps next(tool);
        bool in = false;
        next.sync(limiter, [&in](IAsyncSteps&) { in = true; });
        next.execute();
        tool.run();
        CHECK(in);
    }
    CHECK(failures > 0);
}

TEST_CASE("what a limiter's throttle refuses fails the section itself", "[limiter]") {
    VirtualTool tool;
    Limiter limiter({.maxQueue = 0, .rate = 1});
    AsyncSteps first(tool);
    first.sync(limiter, [](IAsyncSteps&) {});
    first.execute();
    tool.advance(0);
    std::string path;
    AsyncSteps refused(tool);
    refused.add(
        [&limiter](IAsyncSteps& asi) { asi.sync(limiter, [](IAsyncSteps&) { FAIL("ran"); }); },
        [&path](IAsyncSteps& asi, ErrorCode) { path = asi.state().asyncStack(); });
    CHECK(run(tool, refused) == "error DefenseRejected");
    CHECK(path == "0/0");
}
