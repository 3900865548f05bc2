#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/limiter.hpp"

using namespace steptree;

namespace {

constexpr int kThreads = 4;

/// Runs a flow of `rounds` guarded sections on each of four threads' tools.
template <class Body>
void contend(ISync& guard, std::int64_t rounds, Body body) {
    std::vector<std::unique_ptr<AsyncTool>> tools;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<Future<>> ends;
    for (int i = 0; i < kThreads; ++i) {
        tools.push_back(std::make_unique<AsyncTool>());
        flows.push_back(std::make_unique<AsyncSteps>(*tools.back()));
        flows.back()->repeat(rounds, [&guard, body](IAsyncSteps& asi, std::int64_t round) {
            asi.sync(guard, [body, round](IAsyncSteps& inner) { body(inner, round); });
        });
    }
    for (auto& flow : flows) ends.push_back(flow->promise());
    for (const Future<>& end : ends) end.get();
}

}  // namespace

TEST_CASE("four threads lock a mutex 100,000 times each", "[guards][thread]") {
    constexpr std::int64_t kRounds = 100'000;
    ThreadMutex mutex;
    std::int64_t counter = 0;  // what the mutex guards
    contend(mutex, kRounds, [&counter](IAsyncSteps& asi, std::int64_t round) {
        ++counter;
        if (round % 16 == 0) asi.add([&counter](IAsyncSteps&) { counter += 0; });
    });
    CHECK(counter == kThreads * kRounds);
}

TEST_CASE("no more lines of four threads are in than a mutex has places", "[guards][thread]") {
    constexpr std::int64_t kRounds = 5'000;
    ThreadMutex mutex(2);
    std::atomic<int> in{0};
    std::atomic<int> most{0};
    std::atomic<std::int64_t> entries{0};
    contend(mutex, kRounds, [&](IAsyncSteps& asi, std::int64_t) {
        const int now = ++in;
        if (now > most) most = now;
        ++entries;
        asi.relinquish();
        asi.add([&in](IAsyncSteps&) { --in; });
    });
    CHECK(most <= 2);
    CHECK(entries == kThreads * kRounds);
}

/// Whether a wait ends by a grant or by its timeout, nothing gets lost.
TEST_CASE("timeouts and grants of other threads meet at a mutex", "[guards][thread]") {
    constexpr std::int64_t kRounds = 2'000;
    ThreadMutex mutex;
    std::atomic<int> in{0};
    std::atomic<bool> shared{false};
    std::atomic<std::int64_t> seen{0};
    std::vector<std::unique_ptr<AsyncTool>> tools;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<Future<>> ends;
    for (int i = 0; i < kThreads; ++i) {
        tools.push_back(std::make_unique<AsyncTool>());
        flows.push_back(std::make_unique<AsyncSteps>(*tools.back()));
        flows.back()->repeat(kRounds, [&](IAsyncSteps& asi, std::int64_t round) {
            asi.add(
                [&, round](IAsyncSteps& limited) {
                    limited.setTimeout(round % 2);
                    limited.sync(mutex, [&](IAsyncSteps& section) {
                        if (++in != 1) shared = true;
                        section.relinquish();
                        section.add([&in](IAsyncSteps&) { --in; });
                        section.setCancel([&in](IAsyncSteps&) { in = 0; });
                    });
                },
                [&](IAsyncSteps& failed, const std::string& code) {
                    if (code == errors::Timeout) failed.success();
                });
            asi.add([&seen](IAsyncSteps&) { ++seen; });
        });
    }
    for (auto& flow : flows) ends.push_back(flow->promise());
    for (const Future<>& end : ends) end.get();
    CHECK_FALSE(shared);
    CHECK(seen == kThreads * kRounds);
    AsyncSteps last(*tools.front());
    last.sync(mutex, [&seen](IAsyncSteps&) { seen = -1; });
    last.promise().get();
    CHECK(seen == -1);
}

TEST_CASE("tools of four threads share a throttle", "[guards][thread]") {
    ThreadThrottle throttle(20, 1, kUnlimited);
    std::atomic<std::int64_t> entries{0};
    contend(throttle, 200, [&entries](IAsyncSteps&, std::int64_t) { ++entries; });
    CHECK(entries == kThreads * 200);
}

/// Stations change hands between tools while their timers fire.
TEST_CASE("timeouts and entries of several threads meet at a throttle", "[guards][thread]") {
    constexpr std::int64_t kRounds = 500;
    ThreadThrottle throttle(1, 1, kUnlimited);
    std::atomic<std::int64_t> ends{0};
    std::vector<std::unique_ptr<AsyncTool>> tools;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<Future<>> all;
    for (int i = 0; i < kThreads; ++i) {
        tools.push_back(std::make_unique<AsyncTool>());
        flows.push_back(std::make_unique<AsyncSteps>(*tools.back()));
        flows.back()->repeat(kRounds, [&, i](IAsyncSteps& asi, std::int64_t round) {
            asi.add(
                [&, i, round](IAsyncSteps& limited) {
                    limited.setTimeout((round + i) % 3 + 1);
                    limited.sync(throttle, [](IAsyncSteps&) {});
                },
                [](IAsyncSteps& failed, const std::string& code) {
                    if (code == errors::Timeout) failed.success();
                });
            asi.add([&ends](IAsyncSteps&) { ++ends; });
        });
    }
    for (auto& flow : flows) all.push_back(flow->promise());
    for (const Future<>& end : all) end.get();
    CHECK(ends == kThreads * kRounds);
}

TEST_CASE("tools of four threads share a limiter", "[guards][thread]") {
    ThreadLimiter limiter(
        {.concurrent = 2, .maxQueue = kUnlimited, .rate = 20, .period = 1, .burst = kUnlimited});
    std::atomic<int> in{0};
    std::atomic<int> most{0};
    std::atomic<std::int64_t> entries{0};
    contend(limiter, 200, [&](IAsyncSteps&, std::int64_t) {
        const int now = ++in;
        if (now > most) most = now;
        ++entries;
        --in;
    });
    CHECK(most <= 2);
    CHECK(entries == kThreads * 200);
}
