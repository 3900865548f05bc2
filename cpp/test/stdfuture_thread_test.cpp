#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "futures.hpp"
#include "steptree/cancelablefuture.hpp"

using namespace futures;
using steptree::CancelableFuture;

namespace {

/// Runs each callable on a thread of its own; copies it, as pools that keep a std::function do.
struct Threads {
    std::vector<std::thread> threads;

    void operator()(const std::function<void()>& task) { threads.emplace_back(task); }
    ~Threads() {
        for (std::thread& thread : threads) thread.join();
    }
};

bool isReady(const std::future<int>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

TEST_CASE("a future becomes a std::future", "[future][thread]") {
    Promise<int> promise;
    std::future<int> standard = promise.future().map([](int x) { return x + 1; }).toStd();
    CHECK_FALSE(isReady(standard));
    std::thread settler([&] { promise.success(1); });
    CHECK(standard.get() == 2);
    settler.join();
    Future<>::successful().toStd().get();
    CHECK(*Future<std::unique_ptr<int>>::successful(std::make_unique<int>(5)).toStd().get() == 5);
    CHECK(codeOf([] { Future<int>::failed(Error("E")).toStd().get(); }) == "E");
    CHECK(codeOf([] { Future<int, Refusal>::failed(Refusal{}).toStd().get(); }) == "Refused");
}

TEST_CASE("a std::future is ready although it was made inside of a callback", "[future]") {
    bool ready = false;
    Future<int>::successful(1).onSuccess(
        [&](int x) { ready = isReady(Future<int>::successful(x).toStd()); });
    CHECK(ready);
}

TEST_CASE("a std::future becomes a future on a thread of the executor", "[future][thread]") {
    Threads threads;
    std::promise<int> promise;
    const Future<int> future = Future<int>::fromStd(promise.get_future(), threads);
    std::thread::id where;
    const Future<int> next = future.map([&](int x) {
        where = std::this_thread::get_id();
        return x + 1;
    });
    CHECK_FALSE(next.isCompleted());
    promise.set_value(1);
    CHECK(next.result() == 2);
    CHECK(where == threads.threads.front().get_id());

    std::promise<void> failing;
    const Future<> failed = Future<>::fromStd(failing.get_future(), threads);
    failing.set_exception(std::make_exception_ptr(std::out_of_range("far")));
    CHECK(codeOf([&] { failed.get(); }) == "foreign far");
    std::promise<std::unique_ptr<int>> box;
    box.set_value(std::make_unique<int>(6));
    CHECK(*Future<std::unique_ptr<int>>::fromStd(box.get_future(), threads).resultRef() == 6);
}

TEST_CASE("an executor that refuses a std::future is told to the caller, one that drops it not",
          "[future]") {
    std::promise<int> promise;
    const auto refuses = [](auto&&) { throw std::out_of_range("full"); };
    CHECK(codeOf([&] { Future<int>::fromStd(promise.get_future(), refuses); }) == "foreign full");
    CHECK(codeOf([&] { Future<int>::fromStd(std::future<int>(), refuses); }) == "InternalError");
    std::promise<int> other;
    const auto drops = [](auto&&) {};
    CHECK(shown(Future<int>::fromStd(other.get_future(), drops)) == "failed Canceled");
}

TEST_CASE("a cancelable future has settled when cancel returns", "[future]") {
    Promise<int> plain;
    const CancelableFuture<int> future(plain);
    const Future<int> derived = future.map([](int x) { return x; });
    future.cancel();
    CHECK(shown<int>(future) == "failed Canceled");
    CHECK(shown(derived) == "failed Canceled");
    CHECK(plain.settled());

    Promise<int> hooked;
    int hooks = 0;
    hooked.onCancel([&] { ++hooks; });
    CancelableFuture<int>(hooked).cancel();
    CancelableFuture<int>(hooked).cancel();
    CHECK(hooks == 1);
    CHECK(shown(hooked.future()) == "failed Canceled");

    Promise<int> settling;
    settling.onCancel([&] { settling.success(5); });
    CancelableFuture<int>(settling).cancel();
    CHECK(shown(settling.future()) == "value 5");
    CancelableFuture<int>(settling).cancel(Error("Late"));
    CHECK(shown(settling.future()) == "value 5");

    Promise<int, Refusal> refused;
    const CancelableFuture<int, Refusal> withReason(refused);
    withReason.cancel(Refusal(1, "no"));
    CHECK(withReason.failureReason() == Refusal(1, "no"));
    CHECK(codeOf([] { CancelableFuture<>().cancel(); }) == "InternalError");
}

TEST_CASE("a stopped token cancels a cancelable future", "[future]") {
    const auto source = std::make_unique<std::stop_source>();
    Promise<int> promise;
    const CancelableFuture<int> future(promise);
    CHECK(shown(future.cancelOn(source->get_token()).map([](int x) { return x; })) == "pending");
    source->request_stop();
    CHECK(shown<int>(future) == "failed Canceled");
    Promise<int> late;
    CHECK(shown<int>(CancelableFuture<int>(late).cancelOn(source->get_token())) ==
          "failed Canceled");
    CHECK(late.settled());
}

TEST_CASE("a future that has settled lets its stop token go", "[future]") {
    auto kept = std::make_shared<int>(0);
    const auto source = std::make_unique<std::stop_source>();
    Promise<std::shared_ptr<int>> promise;
    CancelableFuture<std::shared_ptr<int>>(promise).cancelOn(source->get_token());
    promise.success(kept);
    promise = Promise<std::shared_ptr<int>>();
    CHECK(kept.use_count() == 1);
    source->request_stop();
}

TEST_CASE("the token of a promise is stopped when its future is cancelled", "[future]") {
    Promise<int> promise;
    const std::stop_token token = promise.stopToken();
    promise.future().cancel();
    CHECK(token.stop_requested());
    CHECK_FALSE(promise.settled());
    promise.error("Stopped");
    Promise<int> fine;
    const std::stop_token unused = fine.stopToken();
    fine.success(1);
    fine.future().cancel();
    CHECK_FALSE(unused.stop_requested());
}

TEST_CASE("stopping a token races with settling", "[future][thread]") {
    for (int round = 0; round < 200; ++round) {
        const auto source = std::make_unique<std::stop_source>();
        Promise<int> promise;
        const CancelableFuture<int> future(promise);
        std::thread stopper([&] { source->request_stop(); });
        std::thread settler([&] { promise.success(1); });
        future.cancelOn(source->get_token());
        stopper.join();
        settler.join();
        const std::string end = shown<int>(future);
        REQUIRE((end == "value 1" || end == "failed Canceled"));
    }
}
