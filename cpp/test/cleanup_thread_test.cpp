#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/iparallel.hpp"
#include "steptree/shield.hpp"

using namespace steptree;

namespace {

/// Ends what it is given, soon, on a thread of its own.
void complete(std::vector<std::thread>& threads, Completion done) {
    threads.emplace_back([done]() mutable { done.success(); });
}

}  // namespace

TEST_CASE("cancellers of other threads meet cleanups that other threads complete",
          "[cleanup][thread]") {
    AsyncTool tool;
    for (int round = 0; round < 200; ++round) {
        std::vector<std::thread> threads;  // of the tool's thread, until the flow is closed
        std::atomic<int> begun{0};         // a cancel may come between two branches
        std::atomic<int> cleaned{0};
        AsyncSteps flow(tool);
        IParallel& branches = flow.parallel();
        for (int i = 0; i < 4; ++i) {
            branches.add([&](IAsyncSteps& asi) {
                ++begun;
                asi.defer([&](IAsyncSteps& own) {
                    own.add([&](IAsyncSteps& inner) {
                        complete(threads, inner.waitExternal());
                        inner.setTimeout(10'000);
                    });
                    own.add([&](IAsyncSteps&) { ++cleaned; });
                });
                asi.add(shield(
                    10'000, [&](IAsyncSteps& inner) { complete(threads, inner.waitExternal()); }));
            });
        }
        const Canceller canceller = flow.canceller();
        flow.execute();
        std::thread first([canceller] { canceller.cancel("one"); });
        std::thread second([canceller] { canceller.cancel("two"); });
        flow.closed().get();
        first.join();
        second.join();
        CHECK_FALSE(flow.running());
        for (std::thread& thread : threads) thread.join();
        REQUIRE(cleaned == begun);
    }
}

TEST_CASE("a flow that another thread destroys cleans up before that returns",
          "[cleanup][thread]") {
    AsyncTool tool;
    for (int round = 0; round < 100; ++round) {
        std::atomic<int> cleaned{0};
        std::atomic<bool> waits{false};
        auto flow = std::make_unique<AsyncSteps>(tool);
        flow->add([&](IAsyncSteps& asi) {
            asi.defer([&](IAsyncSteps&) { ++cleaned; });
            asi.defer([&](IAsyncSteps&) { ++cleaned; });
            asi.waitExternal();
            waits = true;
        });
        flow->execute();
        while (!waits) std::this_thread::yield();
        flow.reset();
        REQUIRE(cleaned == 2);
    }
}
