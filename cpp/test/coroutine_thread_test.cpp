#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/task.hpp"

using namespace steptree;

TEST_CASE("a coroutine goes on on its tool's thread, whoever settles what it awaits",
          "[coroutine][thread]") {
    constexpr int kRounds = 500;
    AsyncTool tool;
    std::vector<Promise<int>> promises(kRounds);
    std::vector<std::atomic<Completion*>> completions(kRounds);
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) -> Task<std::int64_t> {
        const auto home = std::this_thread::get_id();
        std::int64_t sum = 0;
        for (int i = 0; i < kRounds; ++i) {
            sum += co_await promises[i].future();
            const Results two = co_await asi.add(
                [&, i](IAsyncSteps& asi) { completions[i] = new Completion(asi.waitExternal()); });
            sum += two.at<int>(0);
            if (std::this_thread::get_id() != home) co_return -1;
        }
        co_return sum;
    });
    const Future<std::int64_t> end = flow.promise<std::int64_t>();
    std::thread other([&] {
        for (int i = 0; i < kRounds; ++i) {
            promises[i].success(1);
            Completion* done = nullptr;
            while ((done = completions[i].load()) == nullptr) std::this_thread::yield();
            done->success(2);
            delete done;
        }
    });
    CHECK(end.get() == 3 * kRounds);
    other.join();
}

TEST_CASE("a coroutine is destroyed on its tool's thread, whoever cancels its flow",
          "[coroutine][thread]") {
    struct Local {
        std::thread::id home;
        std::atomic<int>& gone;
        ~Local() { gone += std::this_thread::get_id() == home ? 1 : 1000; }
    };
    AsyncTool tool;
    std::atomic<int> gone{0};
    for (int i = 0; i < 100; ++i) {
        AsyncSteps flow(tool);
        Promise<> promise;
        std::promise<void> begun;
        flow.add([&](IAsyncSteps&) -> Task<> {
            const Local local{std::this_thread::get_id(), gone};
            begun.set_value();
            co_await promise.future();
        });
        const Future<> end = flow.promise();
        begun.get_future().wait();
        std::thread settles([&] { promise.success(); });
        flow.canceller().cancel();
        settles.join();
        end.wait();
        CHECK(gone == i + 1);
    }
}
