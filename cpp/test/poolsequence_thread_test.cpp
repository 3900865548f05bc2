#include <atomic>
#include <list>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "onpool.hpp"

using onpool::Busy;
using onpool::codeOf;
using steptree::ThreadPool;

namespace {

std::vector<int> upTo(int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
}

}  // namespace

TEST_CASE("a sequence gives its results in order", "[threadpool][thread]") {
    ThreadPool pool(3);
    const auto squares = pool.runSequence(upTo(500), [](int n) { return n * n; }).get();
    REQUIRE(squares.size() == 500);
    for (int i = 0; i < 500; ++i) CHECK(squares[i] == i * i);
}

TEST_CASE("a sequence takes any range, and any result", "[threadpool][thread]") {
    ThreadPool pool(2);
    const std::list<std::string> words{"a", "bb", "ccc"};
    CHECK(pool.runSequence(words, [](const std::string& w) { return w.size(); }).get() ==
          std::vector<std::size_t>{1, 2, 3});
    const char* array[] = {"x", "y"};
    CHECK(pool.runSequence(array, [](const char* w) { return *w == 'x'; }).get() ==
          std::vector<bool>{true, false});
    std::vector<std::unique_ptr<int>> unique;
    for (const int n : {1, 2}) unique.push_back(std::make_unique<int>(n));
    const auto moved =
        pool.runSequence(std::move(unique),
                         [](std::unique_ptr<int>& n) { return std::make_unique<int>(*n * 2); })
            .get();
    CHECK(*moved.at(1) == 4);
    std::atomic<int> sum = 0;
    pool.runSequence(upTo(10), [&](int n) { sum += n; }).get();
    CHECK(sum == 45);
    CHECK(pool.runSequence(std::vector<int>(), [](int n) { return n; }).get().empty());
}

TEST_CASE("clusters are tasks of so many items", "[threadpool][thread]") {
    ThreadPool pool(0);
    const auto fn = [](int n) { return n + 1; };
    const auto three = pool.runClusters(upTo(10), fn, 4);
    CHECK(pool.waiting() == 3);
    const auto all = pool.runClusters(upTo(10), fn, 100);
    CHECK(pool.waiting() == 4);
    const auto even = pool.runClusters(upTo(10), fn);  // as if there were one thread
    CHECK(pool.waiting() == 5);
    pool.resize(3);
    const auto asThreads =
        pool.runClusters(upTo(10), [](int) { return std::this_thread::get_id(); });
    for (const auto* future : {&three, &all, &even}) {
        CHECK(future->get() == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    }
    const auto ids = asThreads.get();
    for (int i = 0; i < 10; ++i) CHECK(ids[i] == ids[i / 4 * 4]);  // 4, 4 and 2
    CHECK(codeOf([&] { pool.runClusters(upTo(3), fn, -1).get(); }) == "InternalError");
}

TEST_CASE("the first failure of a sequence drops what hasn't started", "[threadpool][thread]") {
    ThreadPool pool(1);
    std::vector<int> ran;
    const auto future = pool.runClusters(
        upTo(100),
        [&](int n) {
            ran.push_back(n);
            if (n == 3) throw std::runtime_error("at 3");
        },
        2);
    CHECK(codeOf([&] { future.get(); }) == "foreign at 3");
    pool.run([] {}).get();
    CHECK(ran == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("what is left of a cluster isn't called when the sequence is cancelled",
          "[threadpool][thread]") {
    ThreadPool pool(1);
    std::binary_semaphore started{0};
    std::binary_semaphore leave{0};
    std::atomic<int> calls = 0;
    const auto future = pool.runClusters(
        upTo(10),
        [&](int) {
            ++calls;
            started.release();
            leave.acquire();
        },
        10);
    started.acquire();
    future.cancel();
    leave.release();
    CHECK(codeOf([&] { future.get(); }) == "Canceled");
    CHECK(calls == 1);
}

TEST_CASE("a failed sequence settles when none of it runs any more", "[threadpool][thread]") {
    ThreadPool pool(2);
    std::binary_semaphore started{0};
    std::atomic<bool> left = false;
    const auto future = pool.runSequence(upTo(2), [&](const std::stop_token& stop, int n) {
        if (n == 0) {
            started.release();
            while (!stop.stop_requested()) std::this_thread::yield();
            left = true;
        } else {
            started.acquire();
            throw std::runtime_error("other");
        }
    });
    CHECK(codeOf([&] { future.get(); }) == "foreign other");
    CHECK(left);
}

TEST_CASE("cancelling a sequence drops what waits and stops what runs", "[threadpool][thread]") {
    ThreadPool pool(1);
    std::binary_semaphore started{0};
    std::atomic<int> calls = 0;
    const auto future = pool.runSequence(upTo(50), [&](const std::stop_token& stop, int) {
        ++calls;
        started.release();
        while (!stop.stop_requested()) std::this_thread::yield();
    });
    started.acquire();
    future.cancel();
    CHECK(codeOf([&] { future.get(); }) == "Canceled");
    pool.run([] {}).get();
    CHECK(calls == 1);

    pool.resize(0);
    const auto waiting = pool.runSequence(upTo(50), [&](int) { ++calls; });
    waiting.cancel();
    CHECK(waiting.settled());
    CHECK(calls == 1);
}

TEST_CASE("a sequence that a pool doesn't take fails, and keeps nothing", "[threadpool][thread]") {
    ThreadPool pool(1);
    auto held = std::make_shared<int>(0);
    const auto fn = [held](int n) { return n; };
    CHECK(codeOf([&] { pool.runSequence(upTo(3), fn, {.subpool = "none"}).get(); }) ==
          "InternalError");
    pool.resize(0);
    const auto dropped = pool.runSequence(upTo(3), fn);
    pool.shutdown(ThreadPool::Shutdown::drop);
    CHECK(codeOf([&] { dropped.get(); }) == "Canceled");
    CHECK(codeOf([&] { pool.runSequence(upTo(3), fn).get(); }) == "Closed");
    CHECK(held.use_count() == 2);
}
