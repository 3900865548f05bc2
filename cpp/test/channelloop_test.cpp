// Loops and maps over channels: what data can't say.

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "steptree/channel.hpp"

using namespace rig;
using steptree::Channel;
using steptree::kUnlimited;
using steptree::Values;

namespace {

using Unique = std::unique_ptr<int>;

/// Sends 0 to n - 1, and closes the channel.
template <class T>
void feed(AsyncSteps& flow, Channel<T>& channel, int n) {
    flow.repeat(n, [&channel](IAsyncSteps& asi, int i) {
        if constexpr (std::is_same_v<T, Unique>) {
            channel.send(asi, std::make_unique<int>(i));
        } else {
            channel.send(asi, T(i));
        }
    });
    flow.add([&channel](IAsyncSteps&) { channel.close(); });
    flow.execute();
}

}  // namespace

TEST_CASE("bodies of loops over channels take what can't be copied", "[channel]") {
    Rig rig;
    Channel<Unique> channel({.capacity = 0});
    std::vector<int> seen;
    const auto byValue = [&](IAsyncSteps& asi, int i, Unique value) {
        seen.push_back(100 * i + *value);
        if (i == 1) asi.breakLoop();
    };
    const auto byReference = [&](IAsyncSteps& asi, std::size_t, const Unique& value) {
        asi.relinquish();
        asi.add([&](IAsyncSteps&) { seen.push_back(*value); });  // it lives as long as its step
        asi.add([&](IAsyncSteps& last) {
            if (*value == 3) last.breakLoop();
        });
    };
    const auto asStep = step([&](IAsyncSteps&, std::size_t i, Unique value) {
        seen.push_back(100 * static_cast<int>(i) + *value);
    });
    rig.flow.forEach(channel, byValue).forEach(channel, byReference).forEach(channel, asStep);
    AsyncSteps sender(rig.tool);
    feed(sender, channel, 6);
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<int>{0, 101, 2, 3, 4, 105});
}

TEST_CASE("maps over channels take what can't be copied", "[channel]") {
    Rig rig;
    Channel<Unique> channel({.capacity = 0});
    const auto twice = map(channel, {.limit = 3}, [](IAsyncSteps& asi, Unique& value) {
        asi.relinquish();
        asi.add([&value](IAsyncSteps&) { return 2 * *value; });
        return Values<int>{};
    });
    static_assert(
        std::is_same_v<decltype(twice), const Step<steptree::AnyValues, Values<std::vector<int>>>>);
    std::vector<int> doubled;
    rig.flow.add(twice).add([&](IAsyncSteps&, std::vector<int> list) { doubled = list; });
    AsyncSteps sender(rig.tool);
    feed(sender, channel, 7);
    CHECK(rig.run() == "ok");
    CHECK(doubled == std::vector<int>{0, 2, 4, 6, 8, 10, 12});
    Channel<Unique> more({.capacity = 1});
    AsyncSteps flow(rig.tool), other(rig.tool);
    flow.add(map(more, {.limit = 3}, step([](IAsyncSteps&, Unique value) { return *value; })));
    flow.add([&](IAsyncSteps&, std::vector<int> list) { doubled = list; });
    feed(other, more, 3);
    CHECK(run(rig.tool, flow) == "ok");
    CHECK(doubled == std::vector<int>{0, 1, 2});
}

TEST_CASE("values of loops over channels are typed and run any number of times", "[channel]") {
    VirtualTool tool;
    std::string seen;
    Channel<std::string> channel({.capacity = kUnlimited});
    const auto note =
        steptree::forEach(channel, [&](IAsyncSteps&, std::size_t i, const std::string& text) {
            seen += std::to_string(i) + text;
        });
    static_assert(std::is_same_v<decltype(note), const Step<steptree::AnyValues, Values<>>>);
    for (const char* text : {"a", "b", "c"}) channel.trySend(text);
    channel.close();
    for (int i = 0; i < 2; ++i) {
        AsyncSteps flow(tool);
        flow.add(note);
        CHECK(run(tool, flow) == "ok");
    }
    CHECK(seen == "0a1b2c");
}

TEST_CASE("what an iteration has got is destroyed before the loop waits", "[channel]") {
    Rig rig;
    Channel<std::shared_ptr<int>> channel({.capacity = 0});
    const auto value = std::make_shared<int>(1);
    rig.flow.forEach(channel, [](IAsyncSteps&, std::size_t, const std::shared_ptr<int>&) {});
    rig.flow.execute();
    rig.tool.run();
    REQUIRE(channel.trySend(value));
    CHECK(value.use_count() == 2);
    rig.tool.run();
    CHECK(value.use_count() == 1);
    REQUIRE(channel.trySend(value));
    rig.flow.cancel();
    CHECK(channel.tryReceive() == value);
    CHECK(channel.receivers() == 0);
}

TEST_CASE("a loop over a channel that waits again and again takes no more memory",
          "[channel][memory]") {
    Rig rig;
    Channel<int> channel({.capacity = 0});
    Channel<int> mapped({.capacity = 0});
    std::size_t before = 0;
    constexpr int kMany = 100'000;
    AsyncSteps sender(rig.tool);
    sender.repeat(kMany, [&](IAsyncSteps& asi, int i) {
        if (i == kMany / 100) before = allocations::count();
        channel.send(asi, i);
        mapped.send(asi, i);
    });
    sender.add([&](IAsyncSteps&) {
        CHECK(allocations::count() == before);
        channel.close();
        mapped.close();
    });
    sender.execute();
    IParallel& both = rig.flow.parallel();
    long sum = 0;
    both.forEach(channel, [&](IAsyncSteps&, std::size_t, int i) { sum += i; });
    both.add(map(mapped, {.limit = 2}, [&](IAsyncSteps&, int i) { sum -= i; }));
    CHECK(rig.run() == "ok");
    CHECK(before > 0);
    CHECK(sum == 0);
}
