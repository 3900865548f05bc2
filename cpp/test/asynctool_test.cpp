#include "steptree/asynctool.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/detail/toolcore.hpp"

using steptree::AsyncTool;
using steptree::Handle;
using steptree::detail::CoreRef;

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

TEST_CASE("a tool runs on its own thread", "[asynctool][thread]") {
    AsyncTool tool;
    std::promise<std::thread::id> where;
    tool.immediate([&] { where.set_value(std::this_thread::get_id()); });
    CHECK(where.get_future().get() != std::this_thread::get_id());
    CHECK_THROWS(tool.iterate());
}

TEST_CASE("a tool on its own thread fires timers", "[asynctool][thread]") {
    AsyncTool tool;
    std::promise<std::int64_t> done;
    const std::int64_t start = tool.now();
    tool.deferred(3, [&] { tool.deferred(2, [&] { done.set_value(tool.now()); }); });
    CHECK(done.get_future().get() - start >= 5);
}

TEST_CASE("scheduling from another thread does not wait for the tool", "[asynctool][thread]") {
    AsyncTool tool;
    std::promise<void> blocked, release, ran;
    tool.immediate([&] {
        blocked.set_value();
        release.get_future().wait();
    });
    blocked.get_future().wait();
    Handle cancelled = tool.immediate([] { FAIL("ran"); });
    tool.immediate([&] { ran.set_value(); });
    Handle timer = tool.deferred(0, [] { FAIL("ran"); });
    cancelled.cancel();
    timer.cancel();
    CHECK_FALSE(timer.valid());
    release.set_value();
    ran.get_future().wait();
}

TEST_CASE("destroying a tool drops its callbacks unrun", "[asynctool][thread]") {
    auto captured = std::make_shared<int>(0);
    std::promise<void> started;
    std::atomic<bool> ran = false;
    auto tool = std::make_unique<AsyncTool>();
    tool->immediate([&, core = CoreRef(tool->core()), captured] {
        tool->immediate([&, captured] { ran = true; });
        tool->deferred(0, [&, captured] { ran = true; });
        started.set_value();
        while (!core->stopped()) std::this_thread::yield();
    });
    tool->immediate([&, captured] { ran = true; });
    started.get_future().wait();
    Handle late = tool->immediate([&, captured] { ran = true; });
    CHECK(late.valid());
    tool.reset();
    CHECK_FALSE(late.valid());
    CHECK_FALSE(ran);
    CHECK(captured.use_count() == 1);
}

TEST_CASE("a tool may be destroyed by its own callback", "[asynctool][thread]") {
    auto* tool = new AsyncTool;
    std::promise<void> done;
    tool->immediate([tool, &done] {
        tool->immediate([] { FAIL("ran"); });
        delete tool;
        done.set_value();
    });
    done.get_future().wait();
}

TEST_CASE("callbacks from many threads run once each, each thread's in order",
          "[asynctool][thread]") {
    constexpr int kThreads = 4;
    constexpr int kEach = 5000;
    std::vector<int> last(kThreads, -1);
    bool ordered = true;
    int cancelledRuns = 0;
    std::atomic<int> left = kThreads * kEach;
    std::promise<void> done;
    AsyncTool tool;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i) {
                Handle timer = tool.deferred(1000, [&] { ++cancelledRuns; });
                tool.immediate([&, t, i] {
                    ordered = ordered && last[t] == i - 1;
                    last[t] = i;
                    if (--left == 0) done.set_value();
                });
                timer.cancel();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    done.get_future().wait();
    CHECK(ordered);
    CHECK(cancelledRuns == 0);
}

TEST_CASE("handles are cancelled while their tool goes", "[asynctool][thread]") {
    for (int round = 0; round < 100; ++round) {
        auto captured = std::make_shared<int>(0);
        auto tool = std::make_unique<AsyncTool>();
        std::vector<Handle> handles;
        for (int i = 0; i < 50; ++i) {
            handles.push_back(tool->deferred(10'000 + i, [captured] {}));
            handles.push_back(tool->immediate([captured] {}));
        }
        std::thread canceller([&] {
            for (Handle& handle : handles) handle.cancel();
        });
        tool.reset();
        canceller.join();
        REQUIRE(captured.use_count() == 1);
    }
}
