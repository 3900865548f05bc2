#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "onpool.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/future.hpp"
#include "steptree/threadpool.hpp"

using onpool::Busy;
using onpool::codeOf;
using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Future;
using steptree::IAsyncSteps;
using steptree::Promise;
using steptree::StepError;
using steptree::ThreadPool;

TEST_CASE("a pool runs a task on another thread", "[threadpool][thread]") {
    ThreadPool pool(2);
    CHECK(pool.threads() == 2);
    const auto id = pool.run([] { return std::this_thread::get_id(); }).get();
    CHECK(id != std::this_thread::get_id());
    CHECK(pool.run([] { return std::string("text"); }).get() == "text");
    CHECK(*pool.run([] { return std::make_unique<int>(5); }).get() == 5);
    pool.run([] {}).get();
}

TEST_CASE("post binds its arguments", "[threadpool][thread]") {
    struct Adder {
        int base;
        int plus(int n) const { return base + n; }
    };
    ThreadPool pool(1);
    CHECK(pool.post(&Adder::plus, Adder{40}, 2).get() == 42);
    CHECK(pool.post([](const std::string& a, int n) { return a + std::to_string(n); }, "n=", 3)
              .get() == "n=3");
    int seen = 0;
    pool.post([](int& place) { place = 7; }, std::ref(seen)).get();
    CHECK(seen == 7);
}

TEST_CASE("what a task throws is what its future fails with", "[threadpool][thread]") {
    ThreadPool pool(1);
    const auto coded = pool.run([] { throw steptree::StepError("MyCode", "why"); });
    CHECK(codeOf([&] { coded.get(); }) == "MyCode");
    const auto native = pool.run([]() -> int { throw std::out_of_range("far"); });
    CHECK(codeOf([&] { native.get(); }) == "foreign far");
}

TEST_CASE("a task that returns WithFailure keeps its code and info", "[threadpool][thread]") {
    ThreadPool pool(1);
    const auto failsWith = [](auto& future) -> std::string {
        try {
            future.get();
            return "nothing";
        } catch (const StepError& error) {
            return error.what();
        }
    };
    const auto one = pool.run([]() -> int { return steptree::WithFailure<>("MyCode", "why"); });
    CHECK(failsWith(one) == "MyCode: why");
    const auto all = pool.runSequence(std::vector<int>{1, 2}, [](int n) -> int {
        if (n == 2) return steptree::WithFailure<>("MyCode", "why");
        return n;
    });
    CHECK(failsWith(all) == "MyCode: why");
    const auto future =
        pool.run([]() -> Future<int> { return steptree::WithFailure<>("MyCode", "why"); });
    CHECK(failsWith(future) == "MyCode: why");
}

TEST_CASE("a task's future may fail with what is made an exception of", "[threadpool][thread]") {
    ThreadPool pool(1);
    const auto future = pool.run([] {
        return Future<int, std::exception_ptr>::failed(
            std::make_exception_ptr(std::out_of_range("far")));
    });
    CHECK(codeOf([&] { future.get(); }) == "foreign far");
}

TEST_CASE("a task is destroyed before its future settles", "[threadpool][thread]") {
    ThreadPool pool(1);
    for (const bool throws : {false, true}) {
        auto held = std::make_shared<int>(0);
        std::weak_ptr<int> seen = held;
        bool gone = false;
        Busy busy(pool);
        auto future = pool.run([held = std::move(held), throws] {
            if (throws) throw std::runtime_error("x");
        });
        future.onSettled([&](const auto&) { gone = seen.expired(); });
        busy.letGo();
        future.wait();
        pool.run([] {}).get();
        CHECK(gone);
    }
}

TEST_CASE("a task that returns a future gives its value, and frees the thread",
          "[threadpool][thread]") {
    ThreadPool pool(1);
    Promise<int> inner;
    const auto outer = pool.run([&] { return inner.future(); });
    pool.run([] {}).get();
    CHECK_FALSE(outer.settled());
    inner.success(7);
    CHECK(outer.get() == 7);

    Promise<std::unique_ptr<int>> moved;
    const auto unique = pool.run([&] { return moved.future(); });
    moved.success(std::make_unique<int>(3));
    CHECK(*Future(unique).get() == 3);

    Promise<std::vector<std::unique_ptr<int>>> list;
    const auto several = pool.run([&] { return list.future(); });
    std::vector<std::unique_ptr<int>> values;
    values.push_back(std::make_unique<int>(4));
    list.success(std::move(values));
    CHECK(*Future(several).get().at(0) == 4);

    const auto failing = pool.run([&] { return pool.run([] { throw std::runtime_error("in"); }); });
    CHECK(codeOf([&] { failing.get(); }) == "foreign in");
    const auto invalid = pool.run([] { return Future<int>(); });
    CHECK(codeOf([&] { invalid.get(); }) == "InternalError");
}

TEST_CASE("cancelling drops a task that hasn't started, at once", "[threadpool][thread]") {
    ThreadPool pool(0);
    auto held = std::make_shared<int>(0);
    bool ran = false;
    const auto future = pool.run([&ran, held] { ran = true; });
    CHECK(pool.waiting() == 1);
    CHECK(held.use_count() == 2);
    future.cancel();
    CHECK(future.settled());
    CHECK(held.use_count() == 1);
    CHECK(codeOf([&] { future.get(); }) == "Canceled");
    pool.resize(1);
    pool.run([] {}).get();
    CHECK_FALSE(ran);
    CHECK(pool.waiting() == 0);
}

TEST_CASE("cancelling stops the token of a task that runs", "[threadpool][thread]") {
    ThreadPool pool(1);
    std::binary_semaphore started{0};
    const auto future = pool.run([&](const std::stop_token& stop) {
        started.release();
        while (!stop.stop_requested()) std::this_thread::yield();
        return 5;
    });
    started.acquire();
    future.cancel();
    CHECK(future.get() == 5);
}

TEST_CASE("cancelling leaves alone what runs without a token", "[threadpool][thread]") {
    ThreadPool pool(1);
    std::binary_semaphore started{0};
    std::binary_semaphore leave{0};
    const auto future = pool.run([&] {
        started.release();
        leave.acquire();
        return 5;
    });
    started.acquire();
    future.cancel();
    CHECK_FALSE(future.settled());
    leave.release();
    CHECK(future.get() == 5);
}

TEST_CASE("cancelling cancels the future that a task has returned", "[threadpool][thread]") {
    ThreadPool pool(1);
    Promise<int> inner;
    const auto outer = pool.run([&] { return inner.future(); });
    pool.run([] {}).get();
    outer.cancel();
    CHECK(codeOf([&] { outer.get(); }) == "Canceled");
    CHECK(inner.future().settled());
}

TEST_CASE("what was cancelled while a task ran is cancelled when it returns a future",
          "[threadpool][thread]") {
    ThreadPool pool(1);
    Promise<int> inner;
    std::binary_semaphore started{0};
    std::binary_semaphore leave{0};
    const auto outer = pool.run([&] {
        started.release();
        leave.acquire();
        return inner.future();
    });
    started.acquire();
    outer.cancel();
    leave.release();
    CHECK(codeOf([&] { outer.get(); }) == "Canceled");
    CHECK(inner.future().settled());
}

TEST_CASE("a forgotten task runs, and its exception is reported", "[threadpool][thread]") {
    std::string reported;
    std::binary_semaphore done{0};
    ThreadPool pool({.threads = 1, .report = [&](std::exception_ptr error) {
                         reported = codeOf([&] { std::rethrow_exception(error); });
                         done.release();
                     }});
    pool.runAndForget([] { throw std::runtime_error("lost"); });
    done.acquire();
    CHECK(reported == "foreign lost");
    pool.runAndForget([&](const std::stop_token& stop) {
        CHECK_FALSE(stop.stop_requested());
        done.release();
    });
    done.acquire();

    ThreadPool silent(1);
    silent.runAndForget([] { throw std::runtime_error("lost"); });
    CHECK(silent.run([] { return 1; }).get() == 1);
}

TEST_CASE("a step awaits a task, and goes on on its own loop", "[threadpool][thread]") {
    ThreadPool pool(1);
    AsyncTool tool;
    AsyncSteps flow(tool);
    std::thread::id loop;
    std::thread::id after;
    std::thread::id task;
    flow.add([&](IAsyncSteps&) { loop = std::this_thread::get_id(); });
    flow.add([&](IAsyncSteps& asi) {
        asi.await(pool.run([&] {
            task = std::this_thread::get_id();
            return 40;
        }));
        asi.add([&](IAsyncSteps& asi, int value) {
            after = std::this_thread::get_id();
            asi.success(value + 2);
        });
    });
    CHECK(flow.promise<int>().get() == 42);
    CHECK(loop == after);
    CHECK(task != loop);
}

TEST_CASE("a timeout of the flow drops the task that it awaits", "[threadpool][thread]") {
    ThreadPool pool(0);
    AsyncTool tool;
    AsyncSteps flow(tool);
    bool ran = false;
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(1);
            asi.await(pool.run([&] { ran = true; }));
        },
        [](IAsyncSteps& asi, const std::string& code) { asi.success(code); });
    CHECK(flow.promise<std::string>().get() == "Timeout");
    pool.resize(1);
    pool.run([] {}).get();
    CHECK_FALSE(ran);
}

TEST_CASE("a cancelled flow stops the task that it awaits", "[threadpool][thread]") {
    ThreadPool pool(1);
    AsyncTool tool;
    AsyncSteps flow(tool);
    std::binary_semaphore started{0};
    std::binary_semaphore stopped{0};
    flow.add([&](IAsyncSteps& asi) {
        asi.await(pool.run([&](const std::stop_token& stop) {
            started.release();
            while (!stop.stop_requested()) std::this_thread::yield();
            stopped.release();
        }));
    });
    const auto canceller = flow.canceller();
    const auto end = flow.promise<>();
    started.acquire();
    canceller.cancel();
    stopped.acquire();
    CHECK(codeOf([&] { end.get(); }) == "Canceled");
}
