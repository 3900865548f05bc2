#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <ctime>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "standing.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/detail/coreref.hpp"

using steptree::AsyncTool;
using steptree::Handle;
using steptree::detail::CoreRef;

namespace {

/// For a little while, which the tool takes to get on.
void linger(int turns) {
    for (; turns > 0; --turns) std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace

TEST_CASE("a tool runs on its own thread", "[asynctool][thread]") {
    AsyncTool tool;
    std::promise<std::thread::id> where;
    tool.immediate([&] { where.set_value(std::this_thread::get_id()); });
    CHECK(where.get_future().get() != std::this_thread::get_id());
    CHECK_THROWS(tool.iterate());
}

TEST_CASE("a tool that has nothing to do leaves the processor to others", "[asynctool][thread]") {
    AsyncTool tool;
    std::promise<void> ran;
    tool.immediate([&] { ran.set_value(); });
    ran.get_future().wait();
    // Of all threads of the process: the others wait, too.
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    CHECK(seconds < 0.03);
}

TEST_CASE("a tool on its own thread fires timers", "[asynctool][thread]") {
    AsyncTool tool;
    std::promise<std::int64_t> done;
    const std::int64_t start = tool.now();
    tool.deferred(3, [&] { tool.deferred(2, [&] { done.set_value(tool.now()); }); });
    CHECK(done.get_future().get() - start >= 5);
}

TEST_CASE("a tool counts its timers on its own thread only", "[asynctool][thread]") {
    AsyncTool tool;
    CHECK_THROWS(tool.armedTimers());
    std::promise<std::size_t> inside, outside;
    tool.immediate([&] {
        tool.deferred(3'600'000, [] {});
        tool.deferred(std::numeric_limits<double>::infinity(), [] {});
        inside.set_value(tool.armedTimers());
        tool.immediate([&] { outside.set_value(tool.armedTimers()); });
    });
    CHECK(inside.get_future().get() == 1);
    CHECK(outside.get_future().get() == 1);
}

TEST_CASE("scheduling from another thread does not wait for the tool", "[asynctool][thread]") {
    AsyncTool tool;
    std::promise<void> ran;
    rig::Standing standing(tool);
    Handle cancelled = tool.immediate([] { FAIL("ran"); });
    tool.immediate([&] { ran.set_value(); });
    Handle timer = tool.deferred(0, [] { FAIL("ran"); });
    cancelled.cancel();
    timer.cancel();
    CHECK_FALSE(timer.valid());
    standing.goOn();
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

TEST_CASE("callbacks whose handles another thread has let go of leave their places to others",
          "[asynctool][thread]") {
    using Words = std::array<std::size_t, 4>;
    constexpr std::size_t kMany = 500;
    AsyncTool tool{AsyncTool::Driven{}};
    std::size_t ran = 0, intact = 0;
    std::vector<Handle> handles;
    const auto small = [&](std::size_t) { return tool.immediate([&ran] { ++ran; }); };
    const auto large = [&](std::size_t i) {
        return tool.immediate([&intact, words = Words{i, i, i, i}] {
            if (words == Words{words[0], words[0], words[0], words[0]}) ++intact;
        });
    };
    const auto runAll = [&](const auto& make) {
        for (std::size_t i = 0; i < kMany; ++i) handles.push_back(make(i));
        while (tool.iterate().work) continue;
        std::thread([&handles] { handles.clear(); }).join();
        tool.iterate();
    };
    for (int round = 0; round < 2; ++round) {
        runAll(small);
        runAll(large);
    }
    CHECK(ran == 2 * kMany);
    CHECK(intact == 2 * kMany);
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

TEST_CASE("no wake-up is lost, however far a tool has fallen asleep", "[asynctool][thread]") {
    constexpr int kRounds = 20'000;
    AsyncTool tool;
    std::atomic<int> ran = 0;
    bool inTime = true;
    for (int i = 0; inTime && i < kRounds; ++i) {
        tool.immediate([&] { ran.store(ran + 1, std::memory_order_release); });
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (inTime && ran.load(std::memory_order_acquire) <= i) {
            inTime = std::chrono::steady_clock::now() < end;
            if (i % 4 == 0) std::this_thread::yield();
        }
        linger(i % 512);
    }
    CHECK(ran == kRounds);
}

TEST_CASE("no wake-up of a driven tool is lost", "[asynctool][thread]") {
    constexpr int kRounds = 20'000;
    std::mutex mutex;
    std::condition_variable changed;
    bool woken = false;
    AsyncTool tool{AsyncTool::Driven{.wake = [&] {
        const std::lock_guard lock(mutex);
        woken = true;
        changed.notify_one();
    }}};
    std::atomic<int> ran = 0;
    std::thread other([&] {
        for (int i = 0; i < kRounds; ++i) {
            tool.immediate([&] { ran.store(ran + 1, std::memory_order_release); });
            while (ran.load(std::memory_order_acquire) <= i) std::this_thread::yield();
            linger(i % 512);
        }
    });
    bool inTime = true;
    while (inTime && ran < kRounds) {
        if (tool.iterate().work) continue;
        if (ran == kRounds) break;
        std::unique_lock lock(mutex);
        inTime = changed.wait_for(lock, std::chrono::seconds(20), [&] { return woken; });
        woken = false;
    }
    CHECK(inTime);
    while (ran < kRounds) tool.iterate();
    other.join();
}
