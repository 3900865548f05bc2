#include "steptree/asynctool.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Caller;
using steptree::Handle;
using steptree::IAsyncSteps;

namespace {

struct FakeClock : steptree::Clock {
    std::int64_t time = 1'000'000'000;
    std::int64_t perReading = 0;

    std::int64_t nanoseconds() noexcept override { return time += perReading; }
    void passMs(double ms) { time += static_cast<std::int64_t>(ms * 1'000'000); }
};

}  // namespace

TEST_CASE("iterate tells what is left", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    int runs = 0;
    AsyncTool::Left left = tool.iterate();
    CHECK_FALSE(left.work);
    CHECK(left.delay == AsyncTool::kNever);

    tool.immediate([&] { tool.immediate([&] { ++runs; }); });
    left = tool.iterate();
    CHECK(left.work);
    CHECK(left.delay == 0);
    left = tool.iterate();
    CHECK(runs == 1);
    CHECK_FALSE(left.work);

    Handle timer = tool.deferred(30'000, [&] { ++runs; });
    left = tool.iterate();
    CHECK(left.work);
    CHECK(left.delay == 30'000);
    clock.passMs(29'999.5);
    left = tool.iterate();
    CHECK(left.delay == 1);
    clock.passMs(0.5);
    left = tool.iterate();
    CHECK(runs == 2);
    CHECK_FALSE(left.work);
}

TEST_CASE("a timer that is further off than can be said needs no call", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    const Handle timer = tool.deferred(std::int64_t{1} << 60, [] {});
    const AsyncTool::Left left = tool.iterate();
    CHECK(left.work);
    CHECK(left.delay == AsyncTool::kNever);
}

TEST_CASE("a tool that a timer of its own destroys leaves nothing to wait for", "[asynctool]") {
    FakeClock clock;
    auto tool = std::make_unique<AsyncTool>(AsyncTool::Driven{.clock = &clock});
    const Handle timer = tool->deferred(1, [&tool] { tool.reset(); });
    clock.passMs(1);
    const AsyncTool::Left left = tool->iterate();
    CHECK(tool == nullptr);
    CHECK_FALSE(left.work);
    CHECK(left.delay == AsyncTool::kNever);
}

TEST_CASE("the deadline that comes first is found long after the tool was made", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    std::chrono::milliseconds left{};
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(1000);
        asi.add([&](IAsyncSteps&) { clock.passMs(600); });
        asi.relinquish();
        asi.add([&](IAsyncSteps& inner) {
            inner.setTimeout(100);
            left = inner.remaining();
            inner.success();
        });
    });
    flow.execute();
    while (flow.running()) tool.iterate();
    CHECK(left == std::chrono::milliseconds(100));
}

TEST_CASE("a timer never fires early", "[asynctool]") {
    FakeClock clock;
    AsyncTool tool({.clock = &clock});
    clock.passMs(0.9);
    bool fired = false;
    bool atOnce = false;
    tool.immediate([&] {
        clock.passMs(20);  // a slow callback: the delay counts from its end at the earliest
        tool.deferred(2, [&] { fired = true; });
        tool.deferred(0, [&] { atOnce = true; });
    });
    tool.iterate();
    CHECK(atOnce);
    clock.passMs(1.9);
    tool.iterate();
    CHECK_FALSE(fired);
    clock.passMs(0.2);
    tool.iterate();
    CHECK(fired);
}

TEST_CASE("timers that are armed one after the other never fire early, and in order",
          "[asynctool]") {
    AsyncTool tool{AsyncTool::Driven{}};
    steptree::Clock& clock = steptree::Clock::steady();
    constexpr std::int64_t kDelay = 2'000'000;
    std::vector<std::int64_t> armed;
    std::int64_t early = 0;
    std::size_t fired = 0;
    bool ordered = true;
    const std::int64_t end = clock.nanoseconds() + kDelay + 500'000;
    while (clock.nanoseconds() < end) {
        armed.push_back(clock.nanoseconds());
        tool.deferred(2, [&, i = armed.size() - 1] {
            early += clock.nanoseconds() < armed[i] + kDelay ? 1 : 0;
            ordered = ordered && i == fired++;
        });
    }
    while (tool.iterate().work) {
    }
    CHECK(fired == armed.size());
    CHECK(early == 0);
    CHECK(ordered);
}

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
    const auto look = [&](IAsyncSteps& asi) { left.push_back(asi.remaining().count()); };
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
            seen += code + " " + error->also().at(0).code();
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

TEST_CASE("iterating inside a callback is InternalError", "[asynctool]") {
    AsyncTool tool(AsyncTool::Driven{});
    bool refused = false;
    tool.immediate([&] {
        try {
            tool.iterate();
        } catch (const std::exception&) {
            refused = true;
        }
    });
    tool.iterate();
    CHECK(refused);
}

TEST_CASE("the wake-up comes when a timer is taken back that the driver waits for", "[asynctool]") {
    int wakes = 0;
    AsyncTool tool({.wake = [&] { ++wakes; }});
    Handle timer = tool.deferred(3'600'000, [] {});
    AsyncSteps flow(tool);
    flow.add([](IAsyncSteps& asi) {
        asi.setTimeout(3'600'000);
        asi.waitExternal();
    });
    flow.execute();
    while (tool.iterate().delay == 0) {
    }
    wakes = 0;
    timer.cancel();
    CHECK(wakes == 1);
    CHECK(tool.iterate().work);
    flow.cancel();
    CHECK(wakes == 2);
    CHECK(tool.iterate().delay == AsyncTool::kNever);
    timer.cancel();
    CHECK(wakes == 2);
}

TEST_CASE("a tool that several threads drive asks who calls", "[asynctool]") {
    Caller caller = Caller::outside;
    int wakes = 0;
    AsyncTool tool({.wake = [&] { ++wakes; }, .caller = [&] { return caller; }});
    int cancelled = 0;
    const auto start = [&] {
        auto flow = std::make_unique<AsyncSteps>(tool);
        flow->add([&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { ++cancelled; }); });
        flow->execute();
        tool.iterate();
        return flow;
    };
    std::unique_ptr<AsyncSteps> first = start();
    std::unique_ptr<AsyncSteps> second = start();
    caller = Caller::driver;
    CHECK_THROWS_AS(first->cancel(), steptree::StepError);
    CHECK_THROWS_AS(tool.armedTimers(), steptree::StepError);
    second.reset();
    CHECK(cancelled == 0);
    tool.iterate();
    CHECK(cancelled == 1);
    caller = Caller::inside;
    first->cancel();
    CHECK(cancelled == 2);
    CHECK(tool.armedTimers() == 0);
    first = start();
    caller = Caller::outside;  // but nobody has driven it since
    first.reset();
    CHECK(cancelled == 3);
}

TEST_CASE("the wake-up comes once a sleep", "[asynctool]") {
    int wakes = 0;
    AsyncTool tool({.wake = [&] { ++wakes; }});
    tool.immediate([&] { tool.immediate([] {}); });
    tool.immediate([] {});
    CHECK(wakes == 1);
    CHECK(tool.iterate().delay == 0);
    tool.iterate();
    CHECK(wakes == 1);
    Handle timer = tool.deferred(1000, [] {});
    CHECK(wakes == 2);
    tool.iterate();
    tool.deferred(5, [] {});
    CHECK(wakes == 3);
}

TEST_CASE("a driven tool belongs to the thread that iterates it", "[asynctool][thread]") {
    AsyncTool tool(AsyncTool::Driven{});
    std::size_t timers = 0;
    tool.immediate([&] {
        const Handle timer = tool.deferred(5, [] {});
        timers = tool.armedTimers();  // which other threads may not ask
    });
    std::thread([&] { tool.iterate(); }).join();
    CHECK(timers == 1);
}

TEST_CASE("scheduling from another thread calls the wake-up", "[asynctool][thread]") {
    std::atomic<int> wakes = 0;
    AsyncTool tool({.wake = [&] { ++wakes; }});
    tool.iterate();
    bool ran = false;
    std::thread([&] {
        tool.immediate([&] { ran = true; });
        tool.immediate([] {});
    }).join();
    CHECK(wakes == 1);
    CHECK_FALSE(ran);
    tool.iterate();
    CHECK(ran);
}
