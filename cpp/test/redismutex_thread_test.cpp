#include <algorithm>
#include <chrono>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "catch.hpp"
#include "guardshop.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/delay.hpp"
#include "steptree/parallel.hpp"
#include "steptree/redismutex.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

using Words = std::vector<std::string>;

/// Forty sections of two processes, of three tools.
void servesAll(const RedisServer& server, std::int64_t max) {
    Process one(server);
    Process two(server);
    AsyncTool other;
    RedisMutex first(one.connection, "all", {.max = max});
    RedisMutex second(two.connection, "all", {.max = max});
    std::atomic<std::int64_t> active = 0;
    std::atomic<std::int64_t> most = 0;
    Said tokens;
    const auto bodyOf = [&](RedisMutex& mutex) {
        return sync(mutex, [&](IAsyncSteps& asi) {
            tokens.say(mutex.token(asi));
            const std::int64_t now = ++active;
            std::int64_t before = most;
            while (before < now && !most.compare_exchange_weak(before, now)) continue;
            asi.add(delay(2ms)).add([&](IAsyncSteps&) { --active; });
        });
    };
    std::vector<Future<void>> runs;
    for (int i = 0; i < 40; ++i) {
        Tool& tool = i % 3 == 0 ? one.tool : i % 3 == 1 ? two.tool : other;
        runs.push_back(run(tool, bodyOf(i % 2 == 0 ? first : second)));
    }
    for (auto& each : runs) each.get();
    CHECK(most == max);
    Words said = tokens.words();
    CHECK(said.size() == 40);
    if (max == 1) CHECK(std::ranges::is_sorted(said));
    std::ranges::sort(said);
    CHECK(std::ranges::adjacent_find(said) == said.end());
    CHECK(first.waiting() + second.waiting() == 0);
}

}  // namespace

TEST_CASE("a mutex over Redis lets in so many of all processes", "[redis][thread]") {
    const RedisServer server;
    servesAll(server, 1);
    servesAll(server, 3);
}

TEST_CASE("a mutex over Redis lets in first who has come first, and leaves nothing there",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    {
        RedisMutex first(one.connection, "m");
        RedisMutex second(two.connection, "m");
        Stays holder(first);
        auto held = one.codeOf(holder.section());
        holder.said.until(1);
        Said order;
        std::vector<std::future<std::string>> runs;
        for (int i = 0; i < 6; ++i) {
            Process& process = i % 2 == 0 ? two : one;
            RedisMutex& mutex = i % 2 == 0 ? second : first;
            const auto says = [&order, i](IAsyncSteps&) { order.say(std::to_string(i)); };
            runs.push_back(process.codeOf(sync(mutex, says)));
            one.untilWaiting("mutex:m", i + 1);
        }
        CHECK(first.waiting() == 3);
        holder.letGo();
        for (auto& each : runs) CHECK(each.get() == "ok");
        CHECK(held.get() == "ok");
        CHECK(order.words() == Words{"0", "1", "2", "3", "4", "5"});
    }
    while (!one.keys().empty()) std::this_thread::sleep_for(1ms);
    while (!one.list({"PUBSUB", "CHANNELS", "*:c:*"}).empty()) std::this_thread::sleep_for(1ms);
}

TEST_CASE("who waits for a mutex over Redis and is cancelled, times out, or finds it full",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    RedisMutex first(one.connection, "m", {.maxQueue = 2});
    RedisMutex second(two.connection, "m", {.maxQueue = 2});
    Stays holder(first);
    auto held = one.codeOf(holder.section());
    holder.said.until(1);
    Stays never(second);
    auto late = two.codeOf(never.section().timeout(500ms));
    one.untilWaiting("mutex:m", 1);
    CHECK(late.get() == "Timeout");
    one.untilWaiting("mutex:m", 0);
    AsyncSteps flow(two.tool);
    flow.add(never.section());
    flow.execute();
    one.untilWaiting("mutex:m", 1);
    auto last = one.codeOf(sync(first, [](IAsyncSteps&) {}));
    one.untilWaiting("mutex:m", 2);
    CHECK(two.failureOf(sync(second, [](IAsyncSteps&) {})) ==
          "DefenseRejected m -1 mutex 'm': the queue is full");
    flow.cancel();
    one.untilWaiting("mutex:m", 1);
    holder.letGo();
    CHECK(held.get() == "ok");
    CHECK(last.get() == "ok");
    CHECK(never.said.words().empty());
    while (!one.keys().empty()) std::this_thread::sleep_for(1ms);
}

TEST_CASE("a line that is in a mutex over Redis enters again, a branch of it gets Deadlock",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    RedisMutex mutex(one.connection, "m", {.max = 3});
    Guard& two = mutex.places(2);
    CHECK(&two == &mutex.places(2));
    Said said;
    const auto inner = sync(mutex, [&](IAsyncSteps& asi) { said.say(mutex.token(asi)); });
    const auto code = one.codeOf(sync(two,
                                      [&](IAsyncSteps& asi) {
                                          said.say(mutex.token(asi));
                                          asi.add(inner);
                                          asi.parallel().add(sync(two, [](IAsyncSteps&) {}));
                                      }))
                          .get();
    CHECK(code == "Deadlock");
    const auto three = one.codeOf(
        sync(two, [&](IAsyncSteps& asi) { asi.add(sync(mutex.places(3), [](IAsyncSteps&) {})); }));
    CHECK(said.words().size() == 2);
    CHECK(said.words()[0] == said.words()[1]);
    CHECK_THROWS_AS(mutex.places(4), StepError);
}

TEST_CASE("a bad option of a mutex over Redis is said where it is, and a token needs a place",
          "[redis][thread]") {
    RedisConnection shop({.prefix = "shop", .port = 1});
    const auto bad = [&](const RedisMutexOptions& options) {
        CHECK_THROWS_WITH(RedisMutex(shop, "m", options), Catch::Contains("RedisMutex: "));
    };
    bad({.max = 0});
    bad({.maxQueue = -1});
    bad({.lease = 10ms});
    bad({.patience = 0ms});
    bad({.replicas = -1});
    bad({.replicas = 1001});
    bad({.whenDown = WhenDown::local(0)});
    CHECK_THROWS_WITH(RedisMutex(shop, ""), Catch::Contains("name"));
    CHECK_THROWS_WITH(RedisMutex(shop, "a}"), Catch::Contains("name"));
    RedisMutex mutex(shop, "m");
    AsyncTool tool;
    const auto asks = step([&](IAsyncSteps& asi) { return mutex.token(asi); });
    CHECK(codeOf([&] { run(tool, asks).get(); }) == "InternalError");
}

TEST_CASE("sections over Redis that end in every way leave nothing, and are never too many",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    AsyncTool other;
    Tool* const tools[] = {&one.tool, &two.tool, &other};
    const unsigned seed = testSeed();
    INFO("--rng-seed " << seed);
    std::mt19937 random(seed);
    const auto chance = [&](unsigned most) { return static_cast<int>(random() % most); };
    std::atomic<int> active = 0;
    std::atomic<bool> tooMany = false;
    {
        RedisMutex first(one.connection, "m", {.max = 3, .maxQueue = 60});
        RedisMutex second(two.connection, "m", {.max = 3, .maxQueue = 60});
        std::vector<Future<void>> runs;
        for (int i = 0; i < 400; ++i) {
            RedisMutex& mutex = chance(2) == 0 ? first : second;
            const int places = 1 + chance(3);
            const auto ms = std::chrono::milliseconds(chance(4));
            const auto body = step([&active, &tooMany, places, ms](IAsyncSteps& asi) {
                if ((active += places) > 3) tooMany = true;
                asi.defer([&active, places](IAsyncSteps&) { active -= places; });
                if (ms == 3ms) asi.error("Fails");
                asi.add(delay(ms));
            });
            const auto section = sync(mutex.places(places), body);
            std::stop_source stop;
            Tool& tool = *tools[chance(3)];
            runs.push_back(
                run(tool, section.timeout(1 + chance(300)), {.signal = stop.get_token()}));
            if (chance(4) == 0) stop.request_stop();
            if (chance(8) == 0) std::this_thread::sleep_for(1ms);
        }
        for (auto& each : runs) codeOf([&] { each.get(); });
        CHECK(active == 0);
        CHECK_FALSE(tooMany);
        CHECK(first.waiting() + second.waiting() == 0);
        while (!one.keys().empty()) std::this_thread::sleep_for(1ms);
    }
}

TEST_CASE("a program that ends doesn't leave its places to their lease", "[redis][thread]") {
    const RedisServer server;
    Process other(server);
    {
        Process one(server);
        RedisMutex mutex(one.connection, "m");
        CHECK(one.codeOf(sync(mutex, [](IAsyncSteps&) {})).get() == "ok");
    }
    CHECK(other.keys().empty());
}
