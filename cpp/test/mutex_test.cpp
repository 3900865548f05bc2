#include "steptree/mutex.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "leaving.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/detail/holds.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace steptree;

TEST_CASE("leaving a queue of 100,000 costs the same as leaving a short one", "[mutex]") {
    CHECK(leavesAtOnce(
        +[] { return Mutex(); },
        [](Mutex& mutex, AsyncSteps& flow) {
            flow.sync(mutex, [](IAsyncSteps& asi) { asi.waitExternal(); });
        }));
}

TEST_CASE("limits of a mutex are checked", "[mutex]") {
    CHECK(codeOf([] { Mutex mutex({.max = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Mutex mutex({.max = kUnlimited}); }) == errors::InternalError);
    CHECK(codeOf([] { Mutex mutex({.maxQueue = -1}); }) == errors::InternalError);
    CHECK(codeOf([] { ThreadMutex mutex({.max = -1}); }) == errors::InternalError);
    CHECK(codeOf([] { Mutex mutex({.maxQueue = 0}); }) == "nothing");
}

TEST_CASE("a hundred thousand waiters leave from anywhere, and the rest keep their order",
          "[mutex]") {
    constexpr int kWaiters = 100'000;
    VirtualTool tool;
    Mutex mutex;
    AsyncSteps holder(tool);
    Completion done;
    holder.sync(mutex, [&done](IAsyncSteps& asi) { done = asi.waitExternal(); });
    holder.execute();
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<int> order;
    for (int i = 0; i < kWaiters; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        flows.back()->sync(mutex, [&order, i](IAsyncSteps&) { order.push_back(i); });
        flows.back()->execute();
    }
    tool.run();
    const std::size_t before = allocations::count();
    for (int i = kWaiters - 1; i >= 0; --i) {
        if (i % 1000 != 500) flows[static_cast<std::size_t>(i)]->cancel();
    }
    CHECK(allocations::count() == before);
    done.success();
    tool.run();
    REQUIRE(order.size() == kWaiters / 1000);
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == int(i) * 1000 + 500);
}

TEST_CASE("as many lines as there are places find theirs again", "[mutex]") {
    constexpr int kPlaces = 300;
    VirtualTool tool;
    Mutex mutex({.max = kPlaces});
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    int inside = 0;
    for (int i = 0; i < 2 * kPlaces; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        flows.back()->sync(mutex, [&, i](IAsyncSteps& asi) {
            ++inside;
            CHECK(inside <= kPlaces);
            asi.setTimeout(1000);
            asi.add([i](IAsyncSteps& wait) { wait.setTimeout(i % 7); },
                    [](IAsyncSteps& wait, ErrorCode) { wait.success(); });
            asi.sync(mutex, [](IAsyncSteps&) {});
            asi.add([&inside](IAsyncSteps&) { --inside; });
        });
        flows.back()->execute();
    }
    tool.run();
    for (auto& flow : flows) CHECK_FALSE(flow->running());
    CHECK(inside == 0);
}

TEST_CASE("NitroSteps wait for guards without the heap", "[mutex][memory][nitro]") {
    VirtualTool tool;
    Mutex mutex;
    using Small = NitroSteps<MaxSteps<2>, MaxSyncs<1>, MaxLoops<0>, MaxParallels<0>, MaxTimeouts<0>,
                             MaxCancels<0>, MaxAwaits<0>, MaxBranches<0>>;
    Small one(tool);
    Small two(tool);
    int in = 0;
    const auto round = [&] {
        Completion done;
        one.add([](IAsyncSteps& asi) { asi.success(1); });
        one.sync(mutex, [&done, &in](IAsyncSteps& asi, int value) {
            in += value;
            done = asi.waitExternal();
        });
        two.add([](IAsyncSteps& asi) { asi.success(2); });
        two.sync(mutex, [&in](IAsyncSteps&, int value) { in += value; });
        one.execute();
        two.execute();
        tool.run();
        done.success();
        tool.run();
        REQUIRE_FALSE(two.running());
    };
    round();
    const std::size_t before = allocations::count();
    for (int i = 0; i < 10; ++i) round();
    CHECK(allocations::count() == before);
    CHECK(in == 33);
}

TEST_CASE("a place goes past a waiter whose cancel waits for the closing that gives it back",
          "[mutex]") {
    VirtualTool tool;
    Mutex mutex;
    std::string log;
    AsyncSteps holder(tool);
    AsyncSteps waiter(tool);
    AsyncSteps next(tool);
    holder.sync(mutex, [&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { waiter.cancel(); });
        asi.waitExternal();
    });
    waiter.sync(mutex, [&](IAsyncSteps&) { log += "waiter "; });
    next.sync(mutex, [&](IAsyncSteps&) { log += "next "; });
    holder.execute([&](Outcome&) { log += "told "; });
    waiter.execute();
    next.execute();
    tool.run();
    holder.cancel();
    tool.run();
    // It stands in the queue from the unlock on, which comes before the holder's end.
    CHECK(log == "next told ");
}

TEST_CASE("a line that has gone on before its grant has returned keeps its place",
          "[mutex][thread]") {
    ThreadMutex mutex;
    VirtualTool tool;
    AsyncSteps holder(tool);
    Completion done;
    holder.sync(mutex, [&done](IAsyncSteps& asi) { done = asi.waitExternal(); });
    holder.execute();
    tool.run();

    std::promise<void> granted, wentOn;
    bool granting = false;
    std::atomic<int> in = 0;
    AsyncTool away{AsyncTool::Driven{.wake = [&] {
        if (!std::exchange(granting, false)) return;
        granted.set_value();
        wentOn.get_future().wait();
    }}};
    AsyncSteps waiter(away);
    waiter.sync(mutex, [&in](IAsyncSteps& asi) {
        ++in;
        asi.waitExternal();
    });
    waiter.execute();
    std::promise<void> waits;
    std::thread other([&] {
        away.iterate();
        waits.set_value();
        granted.get_future().wait();
        while (in == 0) away.iterate();
        wentOn.set_value();
    });
    waits.get_future().wait();
    AsyncSteps next(tool);
    next.sync(mutex, [&in](IAsyncSteps&) { ++in; });
    next.execute();
    tool.run();
    granting = true;
    done.success();
    tool.run();
    other.join();
    CHECK(in == 1);
}

TEST_CASE("places of a mutex are those that it has", "[mutex]") {
    Mutex mutex({.max = 3});
    CHECK(codeOf([&] { mutex.places(0); }) == errors::InternalError);
    CHECK(codeOf([&] { mutex.places(4); }) == errors::InternalError);
    CHECK(&mutex.places(2) == &mutex.places(2));
    CHECK(&mutex.places(2) != &mutex.places(3));
    CHECK(mutex.available() == 3);
}
