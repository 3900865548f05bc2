#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "onpool.hpp"

using onpool::Busy;
using onpool::codeOf;
using steptree::Future;
using steptree::ThreadPool;
using Shutdown = steptree::ThreadPool::Shutdown;

namespace {

struct Counts {
    int ran = 0;
    int cancelled = 0;
};

Counts countsOf(std::vector<Future<>>& futures) {
    Counts counts;
    for (auto& future : futures) {
        const std::string code = codeOf([&] { future.get(); });
        ++(code == "nothing" ? counts.ran : counts.cancelled);
        if (code != "nothing") CHECK(code == "Canceled");
    }
    return counts;
}

std::vector<Future<>> fill(ThreadPool& pool) {
    pool.subpool("narrow", 1);
    std::vector<Future<>> futures;
    for (int i = 0; i < 20; ++i) {
        futures.push_back(pool.run([] {}));
        futures.push_back(pool.run([] {}, {.subpool = "narrow"}));
        futures.push_back(pool.run([] {}, {.boundTo = static_cast<std::uint64_t>(i)}));
    }
    return futures;
}

}  // namespace

TEST_CASE("shutdown of a pool with nothing to do ends its threads", "[threadpool][thread]") {
    for (const Shutdown how : {Shutdown::drain, Shutdown::drop}) {
        for (const int threads : {0, 3}) {
            ThreadPool pool(threads);
            pool.shutdown(how);
            pool.shutdown(how);
            CHECK(pool.threads() == 0);
        }
    }
}

TEST_CASE("drain runs all that waits", "[threadpool][thread]") {
    for (const int threads : {0, 1, 3}) {
        ThreadPool pool({.threads = 0, .boundThreads = 2});
        auto futures = fill(pool);
        pool.resize(threads);
        pool.shutdown(Shutdown::drain);
        for (const auto& future : futures) CHECK(future.settled());
        CHECK(countsOf(futures).ran == 60);
        CHECK(pool.waiting() == 0);
    }
}

TEST_CASE("drain lets a paused sub-pool go on", "[threadpool][thread]") {
    ThreadPool pool(2);
    pool.subpool("paused", 0);
    const auto future = pool.run([] { return 1; }, {.subpool = "paused"});
    pool.shutdown(Shutdown::drain);
    CHECK(future.get() == 1);
}

TEST_CASE("drop fails all that waits, once what runs has ended", "[threadpool][thread]") {
    ThreadPool pool({.threads = 0, .boundThreads = 2});
    auto futures = fill(pool);
    pool.shutdown(Shutdown::drop);
    CHECK(countsOf(futures).cancelled == 60);
    CHECK(pool.waiting() == 0);
}

TEST_CASE("drop stops the tokens of what runs, and waits for it", "[threadpool][thread]") {
    ThreadPool pool(2);
    std::atomic<int> started = 0;
    std::atomic<int> ended = 0;
    const auto untilStopped = [&](const std::stop_token& stop) {
        ++started;
        while (!stop.stop_requested()) std::this_thread::yield();
        ++ended;
    };
    const auto kept = pool.run(untilStopped);
    pool.runAndForget(untilStopped);
    while (started != 2) std::this_thread::yield();
    const auto waits = pool.run([] {});
    pool.shutdown(Shutdown::drop);
    CHECK(ended == 2);
    CHECK(codeOf([&] { kept.get(); }) == "nothing");
    CHECK(codeOf([&] { waits.get(); }) == "Canceled");
}

TEST_CASE("destruction drops", "[threadpool][thread]") {
    std::optional<ThreadPool> pool(std::in_place, 0);
    auto futures = fill(*pool);
    pool.reset();
    CHECK(countsOf(futures).cancelled == 60);
    futures.front().cancel();
}

TEST_CASE("after shutdown nothing is taken in", "[threadpool][thread]") {
    ThreadPool pool(1);
    pool.shutdown(Shutdown::drain);
    CHECK(codeOf([&] { pool.run([] {}).get(); }) == "Closed");
    CHECK(codeOf([&] { pool.post([] {}).get(); }) == "Closed");
    CHECK(codeOf([&] { pool.runAndForget([] {}); }) == "Closed");
    CHECK(codeOf([&] { pool.resize(1); }) == "Closed");
    CHECK(codeOf([&] { pool.subpool("name", 1); }) == "Closed");
}

TEST_CASE("drop after drain drops what is left", "[threadpool][thread]") {
    ThreadPool pool(1);
    Busy busy(pool);
    const auto waits = pool.run([] {});
    std::thread drains([&] { pool.shutdown(Shutdown::drain); });
    while (codeOf([&] { pool.runAndForget([] {}); }) != "Closed") std::this_thread::yield();
    std::thread drops([&] { pool.shutdown(Shutdown::drop); });
    CHECK(codeOf([&] { waits.get(); }) == "Canceled");
    busy.letGo();
    drains.join();
    drops.join();
}

TEST_CASE("a task shuts its pool down", "[threadpool][thread]") {
    for (const Shutdown how : {Shutdown::drain, Shutdown::drop}) {
        ThreadPool pool(2);
        Busy busy(pool);
        std::binary_semaphore ready{0};
        const auto asks = pool.run([&] {
            ready.acquire();
            pool.shutdown(how);  // waits for none, itself least of all
        });
        const auto waits = pool.run([] {});
        ready.release();
        asks.get();
        busy.letGo();
        CHECK(codeOf([&] { waits.get(); }) == (how == Shutdown::drain ? "nothing" : "Canceled"));
        pool.shutdown(how);
    }
}

TEST_CASE("a task destroys its pool", "[threadpool][thread]") {
    auto pool = std::make_unique<ThreadPool>(2);
    std::binary_semaphore leave{0};
    std::binary_semaphore started{0};
    const auto other = pool->run([&] {
        started.release();
        leave.acquire();
    });
    started.acquire();
    std::binary_semaphore ready{0};
    const auto destroys = pool->run([&] {
        ready.acquire();
        pool.reset();
        return 1;
    });
    const auto waits = pool->run([] {});
    ready.release();
    CHECK(destroys.get() == 1);
    CHECK(codeOf([&] { waits.get(); }) == "Canceled");
    CHECK_FALSE(other.settled());
    leave.release();
    other.get();
}

TEST_CASE("what is handed in while the pool is shut down settles", "[threadpool][thread]") {
    for (int round = 0; round < 40; ++round) {
        ThreadPool pool({.threads = round % 3, .boundThreads = 1});
        pool.subpool("narrow", 1);
        std::atomic<int> ran = 0;
        std::atomic<int> refused = 0;
        std::atomic<bool> go = false;
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&, t] {
                while (!go) std::this_thread::yield();
                for (int i = 0; i < 50; ++i) {
                    steptree::TaskOptions options;
                    if (t == 1) options.subpool = "narrow";
                    if (t == 2) options.boundTo = 1;
                    const auto future = pool.run([&] { ++ran; }, options);
                    if (codeOf([&] { future.get(); }) != "nothing") ++refused;
                }
            });
        }
        go = true;
        for (int i = 0; i < round; ++i) std::this_thread::yield();
        pool.shutdown(round % 2 == 0 ? Shutdown::drain : Shutdown::drop);
        for (std::thread& thread : threads) thread.join();
        REQUIRE(ran + refused == 150);
    }
}
