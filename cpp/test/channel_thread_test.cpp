#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "compete.hpp"
#include "steptree/channel.hpp"

using namespace rig;
using namespace steptree;

namespace {

/// Two threads send, two receive; what is sent is received once.
void exchange(std::int64_t capacity, std::int64_t rounds, bool hurries) {
    ThreadChannel<std::int64_t> channel({.capacity = capacity});
    std::vector<std::atomic<int>> sent(static_cast<std::size_t>(kThreads * rounds));
    std::vector<std::atomic<int>> received(sent.size());
    const auto taken = [&](std::int64_t value) { ++received[static_cast<std::size_t>(value)]; };
    compete(rounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        const std::int64_t ms = hurries ? (round + thread) % 3 : 10'000;
        if (thread % 2 == 0) {
            const std::int64_t value = thread * rounds + round;
            hurry(asi, ms, [&, value](IAsyncSteps& limited) {
                channel.send(limited, value);
                limited.add([&, value](IAsyncSteps&) { ++sent[static_cast<std::size_t>(value)]; });
            });
        } else {
            // What has been received is nobody else's any more: the deadline ends before it's used.
            hurry(asi, ms, [&](IAsyncSteps& limited) { channel.receive(limited); });
            asi.add([&](IAsyncSteps&, Results& got) {
                if (!got.empty()) taken(got.at<std::int64_t>(0));
            });
        }
    });
    while (const auto value = channel.tryReceive()) taken(*value);
    int lost = 0;
    int again = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        if (sent[i] > received[i]) ++lost;
        if (received[i] > 1) ++again;
    }
    CHECK(lost == 0);
    CHECK(again == 0);
}

}  // namespace

TEST_CASE("four threads exchange values through channels, and none is lost", "[channel][thread]") {
    exchange(0, kLockings, false);
    exchange(3, kLockings, false);
    exchange(kUnlimited, kLockings, false);
}

TEST_CASE("timeouts and deliveries of other threads meet at a channel", "[channel][thread]") {
    exchange(0, 600, true);
    exchange(2, 600, true);
}

TEST_CASE("threads without a flow feed a channel and close it", "[channel][thread]") {
    constexpr int kValues = 2'000;
    ThreadChannel<int> channel({.capacity = 8});
    AsyncTool tool;
    AsyncSteps flow(tool);
    std::int64_t sum = 0;
    std::string end;
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.loop([&](IAsyncSteps& round) {
                channel.receive(round);
                round.add([&](IAsyncSteps&, int value) { sum += value; });
            });
        },
        [&](IAsyncSteps& asi, const std::string& code) {
            end = code;
            asi.success();
        });
    const Future<> ended = flow.promise();
    std::atomic<int> left{3};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            for (int value = 1; value <= kValues; ++value) {
                while (!channel.trySend(value)) std::this_thread::yield();
            }
            if (--left == 0) channel.close();
        });
    }
    for (std::thread& thread : threads) thread.join();
    ended.get();
    CHECK(end == errors::Closed);
    CHECK(sum == 3LL * kValues * (kValues + 1) / 2);
}

TEST_CASE("a channel that closes fails the receivers of several tools", "[channel][thread]") {
    constexpr int kRounds = 200;
    AsyncTool one;
    AsyncTool other;
    int closed = 0;
    for (int round = 0; round < kRounds; ++round) {
        ThreadChannel<int> jobs({.capacity = 1, .name = "a name that is no short string"});
        const Future<int> waiting[] = {jobs.receive(one), jobs.receive(other)};
        while (jobs.receivers() < 2) std::this_thread::yield();
        jobs.close();
        for (const Future<int>& future : waiting) {
            if (codeOf([&] { future.get(); }) == errors::Closed) ++closed;
        }
    }
    CHECK(closed == 2 * kRounds);
}

TEST_CASE("threads without a flow wait for a channel by futures", "[channel][thread]") {
    constexpr int kValues = 500;
    ThreadChannel<int> channel({.capacity = 2});
    AsyncTool sending;
    AsyncTool receiving;
    std::vector<std::thread> threads;
    std::atomic<std::int64_t> sum = 0;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            for (int value = 1; value <= kValues; ++value) channel.send(sending, value).get();
        });
        threads.emplace_back([&] {
            for (int n = 0; n < kValues; ++n) sum += channel.receive(receiving).get();
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(sum == 1LL * kValues * (kValues + 1));
    CHECK(channel.size() == 0);
}
