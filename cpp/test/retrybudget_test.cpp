#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/retry.hpp"

using namespace rig;
using steptree::RetryBudget;

TEST_CASE("a budget counts thousandths of tokens", "[flow]") {
    RetryBudget budget({.capacity = 3, .ratio = 0.3335});
    CHECK(budget.tokens() == 3);
    for (int i = 0; i < 3; ++i) CHECK(budget.take());
    CHECK_FALSE(budget.take());
    budget.putBack();
    CHECK(budget.tokens() == 0.334);
}

TEST_CASE("flows of several threads share a budget", "[flow][thread]") {
    constexpr int kThreads = 4;
    constexpr int kFlows = 2000;
    RetryBudget budget({.capacity = 100, .ratio = 0});
    std::atomic<int> retries{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < kFlows; ++k) {
                Rig rig;
                rig.flow.add(retry({.max = 2, .backoff = {.base = 0}, .budget = &budget},
                                   [&](IAsyncSteps& asi, std::int64_t attempt) {
                                       if (attempt == 2) ++retries;
                                       asi.error("Busy");
                                   }));
                rig.flow.execute([](Outcome&) {});
                rig.tool.run();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(retries == 100);
}

TEST_CASE("a retry whose policy cancels the flow takes no token", "[flow]") {
    Rig rig;
    RetryBudget budget({.capacity = 3, .ratio = 0});
    const auto cancels = [&rig](const std::string&) {
        rig.flow.cancel("enough");
        return true;
    };
    rig.flow.add(retry({.max = 2, .on = cancels, .budget = &budget},
                       [](IAsyncSteps& asi) { asi.error("E"); }));
    CHECK(rig.run() == "cancelled enough");
    CHECK(budget.tokens() == 3);
}
