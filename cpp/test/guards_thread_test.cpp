#include <atomic>
#include <cstdint>
#include <string>

#include "catch.hpp"
#include "compete.hpp"
#include "steptree/limiter.hpp"
#include "steptree/rwlock.hpp"

using namespace rig;
using namespace steptree;

namespace {

/// Each round is a section.
template <class Body>
void contend(ISync& guard, std::int64_t rounds, Body body) {
    compete(rounds, [&guard, body](IAsyncSteps& asi, std::int64_t round, int) {
        asi.sync(guard, [body, round](IAsyncSteps& inner) { body(inner, round); });
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

TEST_CASE("what lines of four threads leave locked goes back when they end", "[guards][thread]") {
    constexpr std::int64_t kRounds = 2'000;
    ThreadMutex mutex;
    ThreadRwLock lock;
    std::int64_t counter = 0;  // what both guard
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int) {
        asi.parallel().add([&, round](IAsyncSteps& branch) {
            branch.add([&](IAsyncSteps& step) { mutex.lock(step); });
            branch.add([&](IAsyncSteps& step) { lock.write.lock(step); });
            branch.add([&, round](IAsyncSteps& step) {
                ++counter;
                if (round % 2 == 0) mutex.unlock(step);
            });
        });
    });
    CHECK(counter == kThreads * kRounds);
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

TEST_CASE("lines of four threads read together and write alone", "[guards][thread]") {
    constexpr std::int64_t kRounds = 3'000;
    ThreadRwLock lock;
    std::int64_t written = 0;  // what the lock guards
    std::atomic<int> writers{0};
    std::atomic<int> readers{0};
    std::atomic<bool> met{false};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        const auto write = [&](IAsyncSteps& section) {
            if (++writers != 1 || readers != 0) met = true;
            ++written;
            section.relinquish();
            section.add([&](IAsyncSteps&) { --writers; });
        };
        const auto read = [&](IAsyncSteps& section) {
            ++readers;
            if (writers != 0) met = true;
            const std::int64_t seen = written;
            section.relinquish();
            section.add([&, seen](IAsyncSteps&) {
                if (written != seen) met = true;
                --readers;
            });
        };
        if ((round + thread) % 3 == 0) {
            asi.sync(lock.write, write);
        } else {
            asi.sync(lock.read, read);
        }
    });
    CHECK_FALSE(met);
    CHECK(written == kThreads * kRounds / 3);
}

TEST_CASE("timeouts and grants of other threads meet at a read-write lock", "[guards][thread]") {
    constexpr std::int64_t kRounds = 1'000;
    ThreadRwLock lock;
    std::atomic<int> writers{0};
    std::atomic<bool> met{false};
    std::atomic<std::int64_t> seen{0};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        hurry(asi, round % 2, [&, write = (round + thread) % 4 == 0](IAsyncSteps& limited) {
            limited.sync(write ? lock.write : lock.read, [&, write](IAsyncSteps& section) {
                if ((write ? ++writers : writers + 1) != 1) met = true;
                section.relinquish();
                section.add([&, write](IAsyncSteps&) { writers -= write ? 1 : 0; });
                section.setCancel([&, write](IAsyncSteps&) { writers -= write ? 1 : 0; });
            });
        });
        asi.add([&seen](IAsyncSteps&) { ++seen; });
    });
    CHECK_FALSE(met);
    CHECK(seen == kThreads * kRounds);
    AsyncTool tool;
    AsyncSteps last(tool);
    last.sync(lock.write, [&seen](IAsyncSteps&) { seen = -1; });
    last.promise().get();
    CHECK(seen == -1);
}
