#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "fakeclock.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::IAsyncSteps;

TEST_CASE("a pass that has used up its budget makes way for timers", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    int runs = 0;
    int runsWhenFired = 0;
    tool.deferred(1, [&] { runsWhenFired = runs; });
    tool.iterate();
    for (int i = 0; i < 1000; ++i) {
        tool.immediate([&] {
            ++runs;
            clock.passMs(0.5);
        });
    }
    AsyncTool::Left left = tool.iterate();
    CHECK(left.delay == 0);
    CHECK(runsWhenFired == runs);
    CHECK(runs >= 2);
    CHECK(runs <= 4);
    while (left.delay == 0) left = tool.iterate();
    CHECK(runs == 1000);
}

TEST_CASE("the clock is read seldom where bodies are quick", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    const auto readingsFor = [&](int callbacks) {
        for (int i = 0; i < callbacks; ++i) tool.immediate([] {});
        clock.perReading = 1;
        const std::int64_t before = clock.time;
        tool.iterate();
        clock.perReading = 0;
        return clock.time - before;
    };
    readingsFor(10'000);
    CHECK(readingsFor(256 * 100) <= 110);
}

TEST_CASE("a delay counts from the call, however long the callback works then", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    tool.immediate([&] {
        clock.passMs(3);
        tool.deferred(10, [] {});
        clock.passMs(8);
    });
    CHECK(tool.iterate().delay == 2);
}

TEST_CASE("remaining() sees the time that passes in a turn", "[asynctool]") {
    const int before = GENERATE(0, 1000);  // short bodies: then the clock is looked at rarely
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    flow.repeat(before, [](IAsyncSteps&, std::int64_t) {});
    std::vector<std::int64_t> left;
    const auto look = [&](IAsyncSteps& asi) { left.push_back(asi.remaining()); };
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(10);
        look(asi);
        clock.passMs(4);
        look(asi);
        asi.add([&](IAsyncSteps& asi) {
            clock.passMs(1);
            asi.setTimeout(20);
            look(asi);
            asi.setTimeout(2);
            clock.passMs(1);
            look(asi);
            clock.passMs(50);
            look(asi);
        });
    });
    flow.execute();
    while (flow.running()) tool.iterate();
    CHECK(left == std::vector<std::int64_t>{10, 6, 5, 1, 0});
}

namespace {

/// What the flow ends with, on a tool that is driven.
std::string endOf(AsyncTool& tool, AsyncSteps& flow) {
    std::string end;
    flow.execute([&](steptree::Outcome& outcome) {
        end = outcome.kind == steptree::OutcomeKind::ok ? "ok" : outcome.code;
    });
    while (end.empty()) tool.iterate();
    return end;
}

}  // namespace

TEST_CASE("a deadline comes before the next body where bodies take long", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    int bodies = 0;
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(10);
        asi.loop([&](IAsyncSteps&) {
            ++bodies;
            clock.passMs(4);
        });
    });
    CHECK(endOf(tool, flow) == "Timeout");
    CHECK(bodies == 3);
}

TEST_CASE("a step whose body returns after its deadline ends with Timeout", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    bool began = false;
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(10);
        asi.add([&](IAsyncSteps& asi) {
            clock.passMs(50);
            asi.success();
        });
        asi.add([&](IAsyncSteps&) { began = true; });
    });
    CHECK(endOf(tool, flow) == "Timeout");
    CHECK_FALSE(began);
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(10);
        clock.passMs(50);
        asi.success();
    });
    CHECK(endOf(tool, flow) == "Timeout");
}

TEST_CASE(
    "one body in 64 that takes long is enough for the next one that does to be noticed at once",
    "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    std::int64_t last = -1;
    flow.repeat(1000, [](IAsyncSteps&, std::int64_t) {});
    flow.repeat(258, [&](IAsyncSteps&, std::int64_t) { clock.passMs(1); });
    flow.repeat(60, [](IAsyncSteps&, std::int64_t) {});
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(1);
        asi.repeat(3, [&](IAsyncSteps&, std::int64_t i) {
            last = i;
            clock.passMs(4);
        });
    });
    CHECK(endOf(tool, flow) == "Timeout");
    CHECK(last == 0);
}

TEST_CASE("a deadline comes before a body whose time a late completion brings", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    steptree::Completion done;
    bool ran = false;
    std::string end;
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(20);
        asi.add([&](IAsyncSteps& inner) { done = inner.waitExternal(); });
        asi.add([&](IAsyncSteps&) { ran = true; });
    });
    flow.execute([&](steptree::Outcome& outcome) { end = outcome.code; });
    tool.iterate();
    clock.passMs(100);
    CHECK(done.success());
    tool.iterate();
    CHECK(end == "Timeout");
    CHECK_FALSE(ran);
}

TEST_CASE("what another thread has completed before a late tool looked stands",
          "[asynctool][thread]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    steptree::Completion done;
    std::string end;
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(20);
        done = asi.waitExternal();
    });
    flow.execute([&](steptree::Outcome& outcome) {
        end = outcome.kind == steptree::OutcomeKind::ok ? "ok" : outcome.code;
    });
    tool.iterate();
    clock.passMs(100);
    std::thread([&] { CHECK(done.success()); }).join();
    tool.iterate();
    tool.iterate();
    CHECK(end == "ok");
}

TEST_CASE("an endless loop ends its batch while the clock stands still", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    steptree::Options options;
    options.burst = 2'000'000;
    AsyncSteps flow(tool, std::move(options));
    int rounds = 0;
    flow.loop([&](IAsyncSteps& asi) {
        if (++rounds == 2'000'000) asi.breakLoop();
    });
    flow.execute();
    tool.iterate();
    CHECK(rounds <= 1 << 17);
    flow.cancel();
}

TEST_CASE("what a body has left that returns late is lost to nobody", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    AsyncSteps flow(tool);
    steptree::Completion kept;
    std::string seen;
    flow.add(
        [&](IAsyncSteps& asi) {
            auto held = std::make_shared<int>(5);
            asi.setTimeout(10);
            kept = asi.waitExternal();
            asi.setCancel([held, &seen](IAsyncSteps&) { seen += "cancelled "; });
            clock.passMs(50);
            asi.error("E", "late");
        },
        [&](IAsyncSteps& asi, const std::string& code) {
            const steptree::StepError* error = asi.state().lastError();
            seen += code + " " + error->also()[0].code();
            CHECK_FALSE(kept.success());
            asi.success(1);
        });
    flow.add([&](IAsyncSteps&, int one) { seen += std::to_string(one); });
    CHECK(endOf(tool, flow) == "ok");
    CHECK(seen == "cancelled Timeout E1");
    SECTION("the flow goes while its step waits for timers") {
        bool other = false;
        tool.deferred(1, [&] { other = true; });
        {
            AsyncSteps gone(tool);
            gone.add([&](IAsyncSteps& asi) {
                clock.passMs(50);
                asi.success(std::string("a value that takes some memory of its own"));
            });
            gone.execute([](steptree::Outcome&) {});
            CHECK_FALSE(other);
            tool.iterate();
            CHECK(gone.running());
        }
        tool.iterate();
        CHECK(other);
    }
}
