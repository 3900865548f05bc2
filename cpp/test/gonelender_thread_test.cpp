#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"

using namespace rig;
using namespace steptree;

namespace {

template <class Guard>
ISync& sideOf(Guard& guard) {
    if constexpr (std::is_same_v<Guard, ThreadRwLock>) {
        return guard.write;
    } else {
        return guard;
    }
}

/// Guards come and go on each of three threads, while lines that have locked another one end.
template <class Guard>
int guardsComeAndGo(int rounds) {
    std::atomic<int> ended{0};
    const auto churn = [&ended, rounds] {
        VirtualTool tool;
        for (int i = 0; i < rounds; ++i) {
            auto guard = std::make_unique<Guard>();
            AsyncSteps flow(tool);
            flow.add([&](IAsyncSteps& asi) { sideOf(*guard).lock(asi); });
            if (rig::run(tool, flow) == "ok") ++ended;
            guard.reset();
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(churn);
    for (std::thread& thread : threads) thread.join();
    return ended;
}

}  // namespace

TEST_CASE("guards go while lines that have locked others end on other threads",
          "[guards][thread]") {
    constexpr int kRounds = 20'000;
    CHECK(guardsComeAndGo<ThreadMutex>(kRounds) == 3 * kRounds);
    CHECK(guardsComeAndGo<ThreadRwLock>(kRounds) == 3 * kRounds);
}
