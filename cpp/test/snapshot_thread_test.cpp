#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/future.hpp"
#include "steptree/keyed.hpp"
#include "steptree/loop.hpp"
#include "steptree/mutex.hpp"
#include "steptree/run.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/snapshot.hpp"
#include "steptree/sync.hpp"

using namespace steptree;
using rig::codeOf;

TEST_CASE("another thread than the tool's asks for a future", "[snapshot][thread]") {
    AsyncTool tool;
    std::latch ready(1);
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        asi.waitExternal();
        ready.count_down();
    });
    flow.execute();
    ready.wait();
    CHECK(codeOf([&] { tool.snapshot(); }) == "InternalError");
    CHECK(codeOf([&] { flow.snapshot(); }) == "InternalError");
    const Snapshot seen = tool.snapshotSoon().get();
    REQUIRE(seen.flows.size() == 1);
    CHECK(seen.flows[0].line->waits->what == "completion");
    flow.cancel();
    CHECK(tool.snapshotSoon().get().flows.empty());
}

TEST_CASE("a tool that goes first answers, and shows no flows", "[snapshot][thread]") {
    auto tool = std::make_unique<AsyncTool>();
    tool->start(step([](IAsyncSteps& asi) { asi.waitExternal(); }));
    std::promise<std::pair<Snapshot, Future<Snapshot>>> asked;
    tool->immediate([&] {
        auto now = tool->snapshot();
        auto soon = tool->snapshotSoon();
        tool.reset();
        asked.set_value({std::move(now), std::move(soon)});
    });
    const auto [now, soon] = asked.get_future().get();
    CHECK(now.flows.size() == 1);
    CHECK(soon.get().flows.empty());
}

TEST_CASE("a guard of several threads is shown while others lock it", "[snapshot][thread]") {
    constexpr int kRounds = 300;
    ThreadMutex mutex({.max = 2, .name = "shared"});
    ThreadRwLock lock;
    ThreadKeyed<int, ThreadMutex> keyed([](int) { return MutexOptions{}; });
    std::vector<std::unique_ptr<AsyncTool>> tools;
    std::atomic<bool> over{false};
    for (int i = 0; i < 3; ++i) tools.push_back(std::make_unique<AsyncTool>());
    std::vector<Future<void>> ends;
    for (int i = 0; i < 12; ++i) {
        const auto held = step([](IAsyncSteps& asi) { asi.relinquish(); });
        const auto once = steps(sync(mutex, held), sync(lock.read, held), sync(lock.write, held),
                                sync(keyed.of(i % 2), held));
        ends.push_back(run(*tools[i % 3], loop([&over, once](IAsyncSteps& asi) {
            if (over) asi.breakLoop();
            asi.add(once);
        })));
    }
    int strange = 0;
    for (int i = 0; i < kRounds; ++i) {
        const Snapshot seen = tools[static_cast<std::size_t>(i) % 3]->snapshotSoon().get();
        if (seen.flows.size() != 4) ++strange;
        for (const GuardSnapshot& guard : seen.guards) {
            if (guard.holders.size() > 4 || guard.waiting > 12) ++strange;
            if (guard.kind == "mutex" && *guard.active < static_cast<int>(guard.holders.size()))
                ++strange;
        }
    }
    over = true;
    for (auto& end : ends) end.get();
    CHECK(strange == 0);
}
