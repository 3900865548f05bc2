#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "futures.hpp"

using namespace futures;

namespace {

constexpr int kRounds = 200;

/// One thread for each function.
void atOnce(std::vector<std::function<void()>> functions) {
    std::atomic<bool> go = false;
    std::vector<std::thread> threads;
    for (auto& f : functions) {
        threads.emplace_back([&go, &f] {
            while (!go) std::this_thread::yield();
            f();
        });
    }
    go = true;
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("a combinator added while the future settles sees the value once", "[future][thread]") {
    for (int round = 0; round < kRounds; ++round) {
        Promise<int> promise;
        const Future<int> future = promise.future();
        std::atomic<int> calls = 0;
        std::atomic<int> sum = 0;
        const auto add = [&] {
            future.map([&](int x) { return ++calls, x + 1; }).onSuccess([&](int x) { sum += x; });
        };
        atOnce({[&] { promise.success(1); }, add, add, add});
        REQUIRE(calls == 3);
        REQUIRE(sum == 6);
    }
}

TEST_CASE("futures that are settled by several threads are gathered once", "[future][thread]") {
    for (int round = 0; round < kRounds; ++round) {
        std::vector<Promise<int>> promises(4);
        std::vector<Future<int>> all;
        std::vector<std::function<void()>> threads;
        for (int i = 0; i < 4; ++i) {
            all.push_back(promises[i].future());
            threads.emplace_back([&promise = promises[i], i] { promise.success(i); });
        }
        std::atomic<int> gathered = 0;
        const auto list = Future<int>::sequence(all).map([&](const std::vector<int>& values) {
            ++gathered;
            return values;
        });
        const auto zipped = all[0].zip(all[1], all[2]);
        atOnce(threads);
        REQUIRE(list.result() == std::vector{0, 1, 2, 3});
        REQUIRE(zipped.result() == std::tuple<int, int, int>(0, 1, 2));
        REQUIRE(gathered == 1);
    }
}

TEST_CASE("a chain goes through several threads", "[future][thread]") {
    for (int round = 0; round < kRounds; ++round) {
        Promise<int> first;
        Promise<int> second;
        const Future<int> sum = first.future().flatMap(
            [future = second.future()](int x) { return future.map([x](int y) { return x + y; }); });
        int seen = 0;
        atOnce({[&] { first.success(1); }, [&] { second.success(2); }, [&] { seen = sum.get(); }});
        REQUIRE(seen == 3);
    }
}

TEST_CASE("cancelling a derived future races with its source", "[future][thread]") {
    for (int round = 0; round < kRounds; ++round) {
        Promise<int> promise;
        const Future<int> derived = promise.future().map([](int x) { return x; });
        atOnce({[&] { promise.success(1); }, [&] { derived.cancel(); }});
        const std::string end = shown(derived);
        REQUIRE((end == "value 1" || end == "failed Canceled"));
    }
}

TEST_CASE("who waits for a future may destroy its promise", "[future][thread]") {
    for (int round = 0; round < kRounds; ++round) {
        auto promise = std::make_unique<Promise<int>>();
        Future<int> future = promise->future();
        std::thread settler([promise = std::move(promise)]() mutable {
            promise->success(1);
            promise.reset();
        });
        int seen = std::move(future).get();
        future = Future<int>();
        REQUIRE(seen == 1);
        settler.join();
    }
}

TEST_CASE("several threads wait for one future, some not long enough", "[future][thread]") {
    Promise<int> promise;
    const Future<int> future = promise.future();
    std::atomic<int> got = 0;
    std::atomic<int> tired = 0;
    std::vector<std::thread> waiters;
    for (int i = 0; i < 4; ++i) {
        waiters.emplace_back([&, i] {
            if (i % 2 == 0) {
                got += future.get();
            } else if (!future.waitFor(std::chrono::milliseconds(i))) {
                ++tired;
            }
        });
    }
    while (tired < 2) std::this_thread::yield();
    promise.success(1);
    for (std::thread& waiter : waiters) waiter.join();
    CHECK(got == 2);
    CHECK(future.waitFor(std::chrono::seconds(0)));
}
