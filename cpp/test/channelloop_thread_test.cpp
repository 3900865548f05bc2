// Loops and maps over channels that several threads use.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/channel.hpp"
#include "steptree/loop.hpp"
#include "steptree/map.hpp"

using namespace steptree;

namespace {

constexpr int kValues = 20'000;
constexpr int kSenders = 2;

/// Threads without a flow send each value once, then close the channel.
std::vector<std::thread> feed(ThreadChannel<int>& channel, std::atomic<int>& left) {
    std::vector<std::thread> threads;
    for (int sender = 0; sender < kSenders; ++sender) {
        threads.emplace_back([&channel, &left, sender] {
            for (int value = sender; value < kValues; value += kSenders) {
                while (!channel.trySend(value)) std::this_thread::yield();
            }
            if (--left == 0) channel.close();
        });
    }
    return threads;
}

/// Loops and maps on three threads receive all, and end. Some are cancelled again and again.
void receiveAll(std::int64_t capacity, bool hurries) {
    ThreadChannel<int> channel({.capacity = capacity});
    std::vector<std::atomic<int>> received(kValues);
    const auto take = [&](int value) { ++received[static_cast<std::size_t>(value)]; };
    const auto each = forEach(channel, [&](IAsyncSteps&, std::size_t, int value) { take(value); });
    const auto some = map(channel, {.limit = 3}, [&](IAsyncSteps& asi, int value) {
        take(value);
        if (value % 7 == 0) asi.relinquish();
    });
    AsyncTool tools[3];
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<Future<>> ends;
    for (int i = 0; i < 3; ++i) {
        AsyncSteps& flow = *flows.emplace_back(std::make_unique<AsyncSteps>(tools[i]));
        if (hurries) {
            flow.loop([&channel, &each, &some, i](IAsyncSteps& asi) {
                asi.add(i == 1 ? some.timeout(1) : each.timeout(1),
                        [](IAsyncSteps& failed, const std::string& code) {
                            if (code == errors::Timeout) failed.success();
                        });
                asi.add([&channel](IAsyncSteps& last) {
                    if (channel.closed() && channel.size() == 0) last.breakLoop();
                });
            });
        } else {
            flow.add(i == 1 ? Step<>(some) : Step<>(each));
        }
    }
    for (auto& flow : flows) ends.push_back(flow->promise());
    std::atomic<int> left{kSenders};
    for (std::thread& thread : feed(channel, left)) thread.join();
    for (const Future<>& end : ends) end.get();
    while (const auto value = channel.tryReceive()) take(*value);
    int wrong = 0;
    for (const auto& count : received) wrong += count != 1;
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("loops and maps of several threads receive each value once", "[channel][thread]") {
    receiveAll(0, false);
    receiveAll(4, false);
}

TEST_CASE("loops that are left while other threads send lose no value", "[channel][thread]") {
    receiveAll(0, true);
    receiveAll(4, true);
}
