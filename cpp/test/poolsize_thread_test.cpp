#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "onpool.hpp"

using onpool::Busy;
using onpool::codeOf;
using steptree::Future;
using steptree::PoolOptions;
using steptree::Priority;
using steptree::TaskOptions;
using steptree::ThreadPool;

namespace {

/// The most that ran at a time.
class Peak {
  public:
    void operator()() {
        int now = ++running_;
        for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
        }
        for (int i = 0; i < 20; ++i) std::this_thread::yield();
        --running_;
    }
    int most() const { return most_; }

  private:
    std::atomic<int> running_{0};
    std::atomic<int> most_{0};
};

template <class T>
void waitFor(std::vector<Future<T>>& futures) {
    for (auto& future : futures) future.wait();
}

}  // namespace

TEST_CASE("a paused pool keeps its tasks, and runs them when it goes on", "[threadpool][thread]") {
    ThreadPool pool(0);
    std::vector<int> ran;
    std::vector<Future<>> futures;
    for (int i = 0; i < 100; ++i) futures.push_back(pool.run([&, i] { ran.push_back(i); }));
    CHECK(pool.threads() == 0);
    CHECK(pool.waiting() == 100);
    pool.resize(1);
    waitFor(futures);
    REQUIRE(ran.size() == 100);
    for (int i = 0; i < 100; ++i) CHECK(ran[i] == i);  // one thread, in the order of the calls
}

TEST_CASE("what runs when the pool is paused goes on, nothing else starts",
          "[threadpool][thread]") {
    for (int round = 0; round < 50; ++round) {
        ThreadPool pool(3);
        std::atomic<int> started = 0;
        std::vector<Future<>> futures;
        for (int i = 0; i < 300; ++i) futures.push_back(pool.run([&] { ++started; }));
        pool.resize(0);
        const auto left = pool.waiting();
        for (int i = 0; i < 100; ++i) std::this_thread::yield();
        REQUIRE(pool.waiting() + 3 >= left);  // each worker may have been about to start one
        pool.resize(2);
        waitFor(futures);
        REQUIRE(started == 300);
    }
}

TEST_CASE("a pool that has grown runs as many at a time as it has threads",
          "[threadpool][thread]") {
    ThreadPool pool(1);
    pool.resize(4);
    Busy a(pool);
    Busy b(pool);
    Busy c(pool);
    Busy d(pool);
    CHECK(pool.threads() == 4);
    d.letGo();
    CHECK(pool.run([] { return 1; }).get() == 1);
}

TEST_CASE("a pool that has shrunk runs no more at a time than it has threads",
          "[threadpool][thread]") {
    ThreadPool pool(8);
    pool.resize(2);
    Busy a(pool);  // all that had a task may still have been there: from here on two
    Busy b(pool);
    const auto third = pool.run([] {});
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK_FALSE(third.settled());
    a.letGo();
    third.get();
}

TEST_CASE("a pool is resized by its own tasks", "[threadpool][thread]") {
    ThreadPool pool(1);
    pool.run([&] { pool.resize(0); }).get();
    const auto waits = pool.run([] { return 1; });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK_FALSE(waits.settled());
    pool.resize(1);
    CHECK(waits.get() == 1);
}

TEST_CASE("threads that went are joined and come again", "[threadpool][thread]") {
    ThreadPool pool(4);
    for (int i = 0; i < 100; ++i) {
        pool.resize(i % 5);
        pool.runAndForget([] {});
    }
    pool.resize(1);
    CHECK(pool.run([] { return 1; }).get() == 1);
}

TEST_CASE("of the tasks that wait the highest priority comes first", "[threadpool][thread]") {
    ThreadPool pool(0);
    std::string order;
    std::vector<Future<>> futures;
    const auto add = [&](char name, Priority priority) {
        futures.push_back(pool.run([&order, name] { order += name; }, {.priority = priority}));
    };
    add('e', Priority::low);
    add('c', Priority::normal);
    add('a', Priority::high);
    add('f', Priority::low);
    add('b', Priority::high);
    add('d', Priority::normal);
    pool.resize(1);
    waitFor(futures);
    CHECK(order == "abcdef");
}

TEST_CASE("no thread that hands in tasks is passed over for ever", "[threadpool][thread]") {
    ThreadPool pool(1);
    std::atomic<bool> over = false;
    std::function<void()> again = [&] {
        if (over) return;
        for (int i = 0; i < 2; ++i) pool.runAndForget(i == 0 ? again : [] {});
    };
    for (int i = 0; i < 100; ++i) pool.runAndForget(again);
    std::thread other([&] { pool.run([&] { over = true; }).get(); });
    other.join();
    CHECK(over);
    pool.shutdown(ThreadPool::Shutdown::drop);
}

TEST_CASE("a sub-pool runs so many of its tasks at a time", "[threadpool][thread]") {
    ThreadPool pool(6);
    pool.subpool("io", 2);
    Peak io;
    Peak others;
    std::vector<Future<>> futures;
    for (int i = 0; i < 300; ++i) {
        futures.push_back(pool.run([&] { io(); }, {.subpool = "io"}));
        futures.push_back(pool.run([&] { others(); }));
    }
    waitFor(futures);
    CHECK(io.most() <= 2);
    CHECK(io.most() >= 1);
}

TEST_CASE("a full sub-pool leaves the threads to others", "[threadpool][thread]") {
    ThreadPool pool(2);
    pool.subpool("one", 1);
    Busy busy(pool, {.subpool = "one"});
    std::vector<Future<>> waiting;
    for (int i = 0; i < 10; ++i) waiting.push_back(pool.run([] {}, {.subpool = "one"}));
    CHECK(pool.run([] { return 1; }).get() == 1);
    for (const auto& future : waiting) CHECK_FALSE(future.settled());
    CHECK(pool.waiting() == 10);
    busy.letGo();
    waitFor(waiting);
}

TEST_CASE("a sub-pool of one keeps the order, and priorities", "[threadpool][thread]") {
    ThreadPool pool(4);
    pool.subpool("serial", 0);
    std::string order;
    std::vector<Future<>> futures;
    for (const char name : {'b', 'c', 'd', 'a', 'e'}) {
        const auto priority = name == 'a' ? Priority::high : Priority::normal;
        futures.push_back(pool.run([&order, name] { order += name; },
                                   TaskOptions{.priority = priority, .subpool = "serial"}));
    }
    pool.run([] {}).get();
    CHECK(pool.waiting() == 5);
    pool.subpool("serial", 1);
    waitFor(futures);
    CHECK(order == "abcde");
}

TEST_CASE("a sub-pool changes its capacity", "[threadpool][thread]") {
    ThreadPool pool(4);
    pool.subpool("name", 1);
    Busy first(pool, {.subpool = "name"});
    const auto waits = pool.run([] {}, {.subpool = "name"});
    CHECK(pool.waiting() == 1);
    pool.subpool("name", 2);
    waits.get();
    pool.subpool("name", 0);
    first.letGo();
    const auto paused = pool.run([] {}, {.subpool = "name"});
    pool.run([] {}).get();
    CHECK_FALSE(paused.settled());
    paused.cancel();
    CHECK(codeOf([&] { paused.get(); }) == "Canceled");
    pool.subpool("name", 3);
    Busy a(pool, {.subpool = "name"});
    Busy b(pool, {.subpool = "name"});
    Busy c(pool, {.subpool = "name"});
}

TEST_CASE("tasks of one number run on one thread, whatever the pool's size",
          "[threadpool][thread]") {
    ThreadPool pool({.threads = 3, .boundThreads = 2});
    const auto threadOf = [&](std::uint64_t number) {
        return pool.run([] { return std::this_thread::get_id(); }, {.boundTo = number}).get();
    };
    const auto even = threadOf(0);
    const auto odd = threadOf(1);
    CHECK(even != odd);
    for (int i = 0; i < 20; ++i) {
        pool.resize(i % 4 + 1);
        CHECK(threadOf(2) == even);
        CHECK(threadOf(7) == odd);
    }
    std::vector<Future<>> futures;
    int unguarded = 0;
    for (int i = 0; i < 1000; ++i) {
        futures.push_back(pool.run([&] { ++unguarded; }, {.boundTo = 4}));
    }
    waitFor(futures);
    CHECK(unguarded == 1000);
}

TEST_CASE("bound tasks are paused, too, and go on on their thread", "[threadpool][thread]") {
    ThreadPool pool({.threads = 1, .boundThreads = 1});
    const TaskOptions bound{.boundTo = 5};
    const auto thread = [] { return std::this_thread::get_id(); };
    const auto id = pool.run(thread, bound).get();
    pool.resize(0);
    const auto paused = pool.run(thread, bound);
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK_FALSE(paused.settled());
    pool.resize(1);
    CHECK(paused.get() == id);
}

TEST_CASE("bad arguments of a pool are told at once", "[threadpool][thread]") {
    CHECK(codeOf([] { ThreadPool pool(-1); }) == "InternalError");
    CHECK(codeOf([] { ThreadPool pool(PoolOptions{.boundThreads = -1}); }) == "InternalError");
    CHECK(codeOf([] { ThreadPool pool(PoolOptions{.spins = -1}); }) == "InternalError");
    ThreadPool pool({.threads = 1, .boundThreads = 0});
    CHECK(codeOf([&] { pool.resize(-1); }) == "InternalError");
    CHECK(pool.threads() == 1);
    CHECK(codeOf([&] { pool.subpool("name", -1); }) == "InternalError");
    CHECK(codeOf([&] { pool.subpool("", 1); }) == "InternalError");
    CHECK(codeOf([&] { pool.run([] {}, {.boundTo = 1}).get(); }) == "InternalError");
    CHECK(codeOf([&] { pool.run([] {}, {.subpool = "unknown"}).get(); }) == "InternalError");
    CHECK(codeOf([&] { pool.runAndForget([] {}, {.subpool = "unknown"}); }) == "InternalError");
    CHECK(codeOf([&] { pool.run([] {}, {.priority = static_cast<Priority>(9)}).get(); }) ==
          "InternalError");
    pool.subpool("name", 1);
    CHECK(codeOf([&] { pool.run([] {}, TaskOptions{.subpool = "name", .boundTo = 1}).get(); }) ==
          "InternalError");
    CHECK(pool.waiting() == 0);
}
