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

/// Runs a flow of `rounds` rounds on each of four threads' tools; `fill` adds a round's steps.
template <class Fill>
void compete(std::int64_t rounds, Fill fill) {
    std::vector<std::unique_ptr<AsyncTool>> tools;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<Future<>> ends;
    for (int thread = 0; thread < kThreads; ++thread) {
        tools.push_back(std::make_unique<AsyncTool>());
        flows.push_back(std::make_unique<AsyncSteps>(*tools.back()));
        flows.back()->repeat(rounds, [fill, thread](IAsyncSteps& asi, std::int64_t round) {
            fill(asi, round, thread);
        });
    }
    for (auto& flow : flows) ends.push_back(flow->promise());
    for (const Future<>& end : ends) end.get();
}

/// Each round is a section.
template <class Body>
void contend(ISync& guard, std::int64_t rounds, Body body) {
    compete(rounds, [&guard, body](IAsyncSteps& asi, std::int64_t round, int) {
        asi.sync(guard, [body, round](IAsyncSteps& inner) { body(inner, round); });
    });
}

/// Adds a step that has `ms` in which to end.
template <class Body>
void hurry(IAsyncSteps& asi, std::int64_t ms, Body body) {
    asi.add(
        [ms, body](IAsyncSteps& limited) {
            limited.setTimeout(ms);
            body(limited);
        },
        [](IAsyncSteps& failed, const std::string& code) {
            if (code == errors::Timeout) failed.success();
        });
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
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int) {
        hurry(asi, round % 2, [&](IAsyncSteps& limited) {
            limited.sync(mutex, [&](IAsyncSteps& section) {
                if (++in != 1) shared = true;
                section.relinquish();
                section.add([&in](IAsyncSteps&) { --in; });
                section.setCancel([&in](IAsyncSteps&) { in = 0; });
            });
        });
        asi.add([&seen](IAsyncSteps&) { ++seen; });
    });
    CHECK_FALSE(shared);
    CHECK(seen == kThreads * kRounds);
    AsyncTool tool;
    AsyncSteps last(tool);
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
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        hurry(asi, (round + thread) % 3 + 1,
              [&](IAsyncSteps& limited) { limited.sync(throttle, [](IAsyncSteps&) {}); });
        asi.add([&ends](IAsyncSteps&) { ++ends; });
    });
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
