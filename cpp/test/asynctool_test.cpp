#include "steptree/asynctool.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "fakeclock.hpp"
#include "steptree/asyncsteps.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Caller;
using steptree::Handle;
using steptree::IAsyncSteps;

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
    std::int64_t left = 0;
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
    CHECK(left == 100);
}

TEST_CASE("remaining() is never more than the deadline was set to", "[asynctool]") {
    FakeClock clock;
    AsyncTool faked({.clock = &clock});
    clock.passMs(0.9);
    AsyncTool real(AsyncTool::Driven{});
    for (AsyncTool* const tool : {&faked, &real}) {
        std::int64_t left = 0;
        AsyncSteps flow(*tool);
        flow.add([&](IAsyncSteps& asi) {
            asi.setTimeout(1000);
            left = asi.remaining();
            asi.success();
        });
        flow.execute();
        while (flow.running()) tool->iterate();
        CHECK(left <= 1000);
        CHECK(left > 900);
    }
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
