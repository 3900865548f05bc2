#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"

using namespace rig;

namespace {

/// An endless loop whose first iterations wait and are completed; what the one after them does is
/// the test's. Every completion of an earlier iteration has to be stale by then.
std::string afterWoken(const std::function<void(IAsyncSteps&)>& last,
                       const std::function<void(IFlow&)>& beforeLast = {}) {
    constexpr std::size_t kWoken = 3;
    Rig rig;
    std::vector<Completion> done;
    bool stale = true;
    const auto checkStale = [&] {
        for (const Completion& old : done) stale = stale && !old.valid() && !old.success();
    };
    rig.flow.loop([&](IAsyncSteps& asi) {
        checkStale();
        if (done.size() == kWoken) return last(asi);
        done.push_back(asi.waitExternal());
        const bool isLast = done.size() == kWoken;
        rig.tool.immediate([&, isLast] {
            stale = stale && done.back().success();
            checkStale();
            if (isLast && beforeLast) beforeLast(rig.flow);
        });
    });
    const std::string end = rig.run();
    checkStale();
    return stale ? end : "a stale completion was taken";
}

}  // namespace

TEST_CASE("an iteration after some that were woken may end in any way", "[loop][completion]") {
    CHECK(afterWoken([](IAsyncSteps& asi) { asi.error("Mine"); }) == "error Mine");
    CHECK(afterWoken([](IAsyncSteps& asi) { asi.errorNoThrow("Mine"); }) == "error Mine");
    CHECK(afterWoken([](IAsyncSteps& asi) { asi.breakLoop(); }) == "ok");
    CHECK(afterWoken([](IAsyncSteps& asi) {
              asi.add([](IAsyncSteps& asi) { asi.breakLoop(); });
          }) == "ok");
    CHECK(afterWoken([](IAsyncSteps& asi) {
              asi.setTimeout(1);
              asi.waitExternal();
          }) == "error Timeout");
    CHECK(afterWoken([](IAsyncSteps& asi) { asi.waitExternal().error("Mine"); }) == "error Mine");
    CHECK(afterWoken([](IAsyncSteps& asi) { asi.waitExternal(); }) == "waiting");
}

TEST_CASE("iterations that don't wait may follow ones that were woken", "[loop][completion]") {
    int more = 0;
    CHECK(afterWoken([&](IAsyncSteps& asi) {
              if (++more == 300) asi.breakLoop();
              if (more % 2 == 0) asi.success(more);
          }) == "ok");
    CHECK(more == 300);
}

TEST_CASE("a flow may be cancelled where an iteration was woken", "[loop][completion]") {
    int more = 0;
    CHECK(afterWoken([&](IAsyncSteps&) { ++more; }, [](IFlow& flow) { flow.cancel("why"); }) ==
          "cancelled why");
    CHECK(more == 0);
}

TEST_CASE("a body may cancel its flow after iterations that were woken", "[loop][completion]") {
    Rig rig;
    Completion done;
    int round = 0;
    rig.flow.loop([&](IAsyncSteps& asi) {
        done = asi.waitExternal();
        rig.tool.immediate([&] { done.success(); });
        if (++round == 3) rig.flow.cancel();
    });
    CHECK(rig.run() == "cancelled ");
    CHECK(round == 3);
}

TEST_CASE("a flow may go where an iteration was woken", "[loop][completion]") {
    VirtualTool tool;
    auto flow = std::make_unique<AsyncSteps>(tool);
    Completion done;
    int round = 0;
    flow->loop([&](IAsyncSteps& asi) {
        ++round;
        done = asi.waitExternal();
    });
    flow->execute();
    tool.run();
    CHECK(done.success());
    tool.run();
    CHECK(done.success());
    flow.reset();
    tool.run();
    CHECK(round == 2);
    CHECK_FALSE(done.success());
}

TEST_CASE("each iteration is woken once, by whichever thread", "[loop][completion][thread]") {
    constexpr int kRounds = 20'000;
    constexpr int kThreads = 2;
    steptree::AsyncTool tool{steptree::AsyncTool::Driven{}};
    std::mutex mutex;
    Completion current;
    int iterations = 0;
    int winners = 0;
    std::atomic<int> winnersRemote{0};
    std::atomic<bool> over{false};
    AsyncSteps flow(tool);
    flow.loop([&](IAsyncSteps& asi) {
        if (++iterations > kRounds) asi.breakLoop();
        const Completion done = asi.waitExternal();
        const std::lock_guard lock(mutex);
        current = done;
    });
    flow.execute();
    const auto wake = [&] {
        const Completion done = [&] {
            const std::lock_guard lock(mutex);
            return current;
        }();
        return done.success() ? 1 : 0;
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            while (!over) {
                const int won = wake();
                winnersRemote += won;
                if (won == 0) std::this_thread::yield();
            }
        });
    }
    while (flow.running()) {
        tool.iterate();
        if (iterations % 3 != 0) winners += wake();
    }
    over = true;
    for (std::thread& thread : threads) thread.join();
    CHECK(iterations == kRounds + 1);
    CHECK(winners + winnersRemote == kRounds);
}
