#include "steptree/promise.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "codeof.hpp"

using rig::codeOf;
using steptree::Future;
using steptree::Promise;
using steptree::StepError;

namespace {

struct Counted {
    int* copies;
    explicit Counted(int* c) : copies(c) {}
    Counted(const Counted& other) : copies(other.copies) { ++*copies; }
    Counted(Counted&&) noexcept = default;
};

}  // namespace

TEST_CASE("a future gives the value to all copies", "[promise]") {
    Promise<std::string> promise;
    Future<std::string> future = promise.future();
    const Future<std::string> copy = future;
    CHECK_FALSE(future.settled());
    CHECK(promise.success("value"));
    CHECK(future.settled());
    CHECK(future.get() == "value");
    CHECK(copy.get() == "value");
    CHECK(std::move(future).get() == "value");
}

TEST_CASE("the first settlement of a promise counts", "[promise]") {
    Promise<int> promise;
    CHECK(promise.success(1));
    CHECK_FALSE(promise.success(2));
    CHECK_FALSE(promise.error("Late"));
    CHECK(promise.future().get() == 1);
    CHECK(promise.future().error() == nullptr);
}

TEST_CASE("a future throws what its promise failed with", "[promise]") {
    Promise<int> coded;
    coded.error("MyCode", "why");
    CHECK(codeOf([&] { coded.future().get(); }) == "MyCode");
    Promise<void> native;
    native.fail(std::make_exception_ptr(std::out_of_range("far")));
    CHECK(codeOf([&] { native.future().get(); }) == "foreign far");
    CHECK(native.future().error() != nullptr);
}

TEST_CASE("a promise of a type that can't be copied moves it out", "[promise]") {
    Promise<std::unique_ptr<int>> promise;
    promise.success(std::make_unique<int>(5));
    CHECK(*promise.future().get() == 5);
}

TEST_CASE("taking the value from a future that goes costs no copy", "[promise]") {
    int copies = 0;
    Promise<Counted> promise;
    promise.success(&copies);
    Future<Counted> future = promise.future();
    std::move(future).get();
    CHECK(copies == 0);
    promise.future().onSettled([](const Future<Counted>& settled) { settled.get(); });
    CHECK(copies == 1);
}

TEST_CASE("callbacks run once, in order, and at once when it has settled", "[promise]") {
    Promise<int> promise;
    std::vector<int> log;
    Future<int> future = promise.future();
    future.onSettled([&](const Future<int>& f) { log.push_back(f.get()); });
    future.onSettled([&](const Future<int>& f) {
        log.push_back(f.get() + 1);
        f.onSettled([&](const Future<int>&) { log.push_back(100); });
    });
    CHECK(log.empty());
    promise.success(1);
    CHECK(log == std::vector<int>{1, 2, 100});
    future.onSettled([&](const Future<int>&) { log.push_back(3); });
    CHECK(log.back() == 3);
}

TEST_CASE("a future whose promise is gone fails with Canceled", "[promise]") {
    Future<int> future;
    CHECK_FALSE(future.valid());
    std::string seen;
    {
        Promise<int> promise;
        future = promise.future();
        future.onSettled([&](const Future<int>& f) { seen = codeOf([&] { f.get(); }); });
        promise = Promise<int>();
        CHECK(seen == "Canceled");
    }
    CHECK(codeOf([&] { future.get(); }) == "Canceled");
}

TEST_CASE("cancelling a future calls the hook of its promise once", "[promise]") {
    Promise<int> promise;
    int hooks = 0;
    promise.onCancel([&] {
        ++hooks;
        promise.error("Stopped");
    });
    Future<int> future = promise.future();
    future.cancel();
    future.cancel();
    CHECK(hooks == 1);
    CHECK(codeOf([&] { future.get(); }) == "Stopped");
}

TEST_CASE("cancelling a future without a hook settles it", "[promise]") {
    Promise<int> promise;
    promise.future().cancel();
    CHECK_FALSE(promise.success(1));
    CHECK(codeOf([&] { promise.future().get(); }) == "Canceled");
}

TEST_CASE("a settled promise keeps nothing of its callbacks and hook", "[promise]") {
    auto captured = std::make_shared<int>(0);
    Promise<int> promise;
    promise.onCancel([captured] {});
    promise.future().onSettled([captured](const Future<int>&) {});
    CHECK(captured.use_count() == 3);
    promise.success(1);
    CHECK(captured.use_count() == 1);
    promise.future().cancel();
    promise.onCancel([captured] {});
    CHECK(captured.use_count() == 1);
}

TEST_CASE("a settled promise goes without an allocation", "[promise]") {
    std::size_t before = 0;
    {
        Promise<int> promise;
        promise.success(1);
        before = allocations::count();
    }
    CHECK(allocations::count() == before);
}

TEST_CASE("misuse of a promise is InternalError", "[promise]") {
    Future<int> none;
    CHECK(codeOf([&] { none.get(); }) == "InternalError");
    CHECK(codeOf([&] { none.settled(); }) == "InternalError");
    Promise<int> promise;
    CHECK(codeOf([&] { promise.fail(nullptr); }) == "InternalError");
    const Promise<int> taken = std::move(promise);
    CHECK(codeOf([&] { promise.success(1); }) == "InternalError");
    CHECK_FALSE(taken.future().settled());
}

TEST_CASE("a future is waited for from another thread", "[promise][thread]") {
    Promise<std::string> promise;
    Promise<void> failing;
    std::string got;
    std::string thrown;
    std::thread waiter([&, future = promise.future(), failed = failing.future()] {
        future.wait();
        got = future.get();
        thrown = codeOf([&] { failed.get(); });
    });
    CHECK_FALSE(promise.future().waitFor(std::chrono::milliseconds(1)));
    promise.success("from here");
    failing.error("Broken");
    waiter.join();
    CHECK(got == "from here");
    CHECK(thrown == "Broken");
}

TEST_CASE("threads that race on a promise settle it once", "[promise][thread]") {
    for (int round = 0; round < 200; ++round) {
        Promise<int> promise;
        std::atomic<int> winners = 0;
        std::atomic<int> callbacks = 0;
        std::atomic<int> value = -1;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t, future = promise.future()] {
                future.onSettled([&](const Future<int>& f) {
                    ++callbacks;
                    if (f.error() == nullptr) value = f.get();
                });
                if (t == 3 ? promise.error("Failed") : promise.success(t)) ++winners;
                if (t == 0) future.cancel();
            });
        }
        for (std::thread& thread : threads) thread.join();
        REQUIRE(winners == 1);
        REQUIRE(callbacks == 4);
    }
}
