#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "guardshop.hpp"
#include "steptree/delay.hpp"
#include "steptree/keyed.hpp"
#include "steptree/redislimiter.hpp"
#include "steptree/redisrwlock.hpp"
#include "steptree/redisthrottle.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kLease = 1s;
constexpr auto kPatient = 20s;  // a machine may be slow
const auto nothing = [](IAsyncSteps&) {};

RedisThrottleOptions limits(std::int64_t max, Period period) {
    return {.max = max, .period = period, .lease = kLease, .patience = kPatient};
}

}  // namespace

TEST_CASE("rates over Redis let in so many of all processes in a period", "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    for (const auto algorithm :
         {ThrottleAlgorithm::fixed, ThrottleAlgorithm::sliding, ThrottleAlgorithm::bucket}) {
        auto options = limits(4, 100);
        options.algorithm = algorithm;
        const std::string name = "t" + std::to_string(static_cast<int>(algorithm));
        RedisThrottle first(one.connection, name, options);
        RedisThrottle second(two.connection, name, options);
        const auto begun = Steady::now();
        std::vector<Future<void>> runs;
        for (int i = 0; i < 12; ++i) {
            runs.push_back(i % 2 == 0 ? run(one.tool, sync(first, nothing))
                                      : run(two.tool, sync(second, nothing)));
        }
        for (auto& each : runs) each.get();
        // Heard late is not let in late: only the whole can be judged.
        CHECK(Steady::now() - begun > 150ms);
        CHECK(first.waiting() + second.waiting() == 0);
    }
}

TEST_CASE("a rate over Redis refuses who comes to a full queue, and says when to come again",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    auto options = limits(1, 60s);
    options.maxQueue = 1;
    RedisThrottle first(one.connection, "t", options);
    RedisThrottle second(two.connection, "t", options);
    run(one.tool, sync(first, nothing)).get();
    auto waits = one.codeOf(sync(first, nothing).timeout(500ms));
    while (askRedis(one.connection, {"ZCARD", "{shop:throttle:t}:e"}).number == 0) {
        std::this_thread::sleep_for(1ms);
    }
    const std::string failure = two.failureOf(sync(second, nothing));
    CHECK(failure.starts_with("DefenseRejected t "));
    CHECK(failure.ends_with(" throttle 't': the queue is full"));
    CHECK(std::stoll(failure.substr(18)) > 1000);
    CHECK(waits.get() == "Timeout");
}

TEST_CASE("rates over Redis forget what they remember, and a line that leaves has spent its entry",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    RedisThrottle throttle(one.connection, "t", limits(2, 50));
    for (int i = 0; i < 2; ++i) run(one.tool, sync(throttle, nothing)).get();
    CHECK_FALSE(one.keys().empty());
    while (!one.keys().empty()) std::this_thread::sleep_for(5ms);
    RedisThrottle slow(one.connection, "slow", limits(1, 300));
    const auto begun = Steady::now();
    CHECK(one.codeOf(sync(slow, [](IAsyncSteps& asi) { asi.error("Fails"); })).get() == "Fails");
    CHECK(one.codeOf(sync(slow, nothing)).get() == "ok");
    CHECK(Steady::now() - begun > 250ms);
    while (!one.keys().empty()) std::this_thread::sleep_for(5ms);
    CHECK(Steady::now() - begun < 3 * kLease + 5s);
}

TEST_CASE("those who wait for a rate go on when the process that looks for all has gone",
          "[redis][thread]") {
    const RedisServer server;
    Child gone([&] {
        Process process(server);
        RedisThrottle throttle(process.connection, "t", limits(1, 100));
        for (;;) process.codeOf(sync(throttle, nothing)).wait();
    });
    Process mine(server);
    RedisThrottle throttle(mine.connection, "t", limits(1, 100));
    while (askRedis(mine.connection, {"HEXISTS", "{shop:throttle:t}:m", "looker"}).number == 0) {
        std::this_thread::sleep_for(1ms);
    }
    auto first = mine.codeOf(sync(throttle, nothing));
    gone.kill();
    const auto begun = Steady::now();
    CHECK(first.get() == "ok");
    for (int i = 0; i < 3; ++i) CHECK(mine.codeOf(sync(throttle, nothing)).get() == "ok");
    CHECK(Steady::now() - begun < 2 * kLease + 2s);
}

TEST_CASE("a rate keeps a share of its own while Redis is down", "[redis][thread]") {
    RedisServer server;
    Process mine(server);
    askRedis(mine.connection, {"PING"});
    RedisThrottle throttle(
        mine.connection, "t",
        {.max = 100, .period = 60s, .patience = 50ms, .whenDown = WhenDown::local(2)});
    server.signal(SIGSTOP);
    const auto section = sync(throttle, nothing);
    CHECK(mine.codeOf(section).get() == "ok");
    CHECK(mine.codeOf(section).get() == "ok");
    CHECK(mine.codeOf(section.timeout(400ms)).get() == "Timeout");
    server.signal(SIGCONT);
}

TEST_CASE("a limiter over Redis limits both, and a nested section spends an entry only",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    RedisLimiter limiter(
        one.connection, "l",
        {.concurrent = 2, .rate = 3, .period = 400ms, .lease = kLease, .patience = kPatient});
    Said said;
    const auto begun = Steady::now();
    const auto inner = sync(
        limiter, [&](IAsyncSteps&) { said.say(Steady::now() - begun < 350ms ? "soon" : "late"); });
    auto first = one.codeOf(sync(limiter, steps(inner, delay(1ms))));
    auto second = one.codeOf(sync(limiter, steps(inner, delay(1ms))));
    CHECK(first.get() + second.get() == "okok");
    CHECK(said.words() == std::vector<std::string>{"soon", "late"});
}

TEST_CASE("guards over Redis are one for each key, of which nothing stays", "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    AsyncTool other;
    ThreadKeyed<std::string, RedisLimiter> perUser([&](const std::string& user) {
        return RedisLimiter(one.connection, "user " + user,
                            {.concurrent = 1, .lease = kLease, .patience = kPatient});
    });
    std::map<std::string, std::atomic<int>> active;
    active["ann"] = active["bob"] = 0;
    std::atomic<bool> tooMany = false;
    std::vector<Future<void>> runs;
    for (int i = 0; i < 20; ++i) {
        const std::string user = i % 3 == 0 ? "ann" : "bob";
        const auto body = step([&, user](IAsyncSteps& asi) {
            if (++active.at(user) > 1) tooMany = true;
            asi.add(delay(1ms)).add([&, user](IAsyncSteps&) { --active.at(user); });
        });
        runs.push_back(run(i % 2 == 0 ? one.tool : other, sync(perUser.of(user), body)));
    }
    for (auto& each : runs) each.get();
    CHECK_FALSE(tooMany);
    CHECK(perUser.size() == 0);
    while (!one.keys().empty()) std::this_thread::sleep_for(1ms);
}

TEST_CASE("of a read-write lock over Redis many read or one writes, in the order of coming",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    RedisRwLock first(one.connection, "p", {.lease = kLease, .patience = kPatient});
    RedisRwLock second(two.connection, "p", {.lease = kLease, .patience = kPatient});
    Stays reads(first.read);
    Stays alsoReads(second.read);
    auto one1 = one.codeOf(reads.section());
    auto two1 = two.codeOf(alsoReads.section());
    reads.said.until(1);
    alsoReads.said.until(1);
    Said order;
    auto writes = two.codeOf(sync(second.write, [&](IAsyncSteps& asi) {
        order.say("writes");
        const std::string token = second.token(asi);
        asi.add(sync(second.read, [&, token](IAsyncSteps& inner) {
            order.say(second.token(inner) == token ? "reads what it writes" : "no");
        }));
    }));
    one.untilWaiting("rwlock:p", 1);
    auto late = one.codeOf(sync(first.read, [&](IAsyncSteps&) { order.say("reads"); }));
    one.untilWaiting("rwlock:p", 2);
    CHECK(first.waiting() + second.waiting() == 2);
    CHECK(order.words().empty());
    reads.letGo();
    alsoReads.letGo();
    for (auto* each : {&one1, &two1, &writes, &late}) CHECK(each->get() == "ok");
    CHECK(order.words() == std::vector<std::string>{"writes", "reads what it writes", "reads"});
    const auto writeInside = sync(first.write, nothing);
    CHECK(one.failureOf(sync(first.read, writeInside)) ==
          "Deadlock p -1 rwlock 'p': the line, or one around it, is in");
    while (!one.keys().empty()) std::this_thread::sleep_for(1ms);
}

TEST_CASE("bad options of rates and locks over Redis are said where they are", "[redis][thread]") {
    RedisConnection shop({.prefix = "shop", .port = 1});
    const auto throttle = [&](const RedisThrottleOptions& options) {
        CHECK_THROWS_WITH(RedisThrottle(shop, "t", options), Catch::Contains("RedisThrottle: "));
    };
    throttle({.max = 0});
    throttle({.max = 1, .period = 0});
    throttle({.max = 1, .burst = 0});
    throttle({.max = 1, .algorithm = ThrottleAlgorithm::fixed, .burst = 2});
    throttle({.max = 1, .lease = 1ms});
    const auto limiter = [&](const RedisLimiterOptions& options) {
        CHECK_THROWS_WITH(RedisLimiter(shop, "l", options), Catch::Contains("RedisLimiter: "));
    };
    limiter({});
    limiter({.concurrent = 1, .period = 7});
    limiter({.concurrent = 1, .burst = 7});
    limiter({.concurrent = 0});
    limiter({.rate = 0});
    limiter({.concurrent = 1, .whenDown = WhenDown::local(0)});
    CHECK_THROWS_WITH(RedisRwLock(shop, "p", {.whenDown = WhenDown::local(1)}),
                      Catch::Contains("RedisRwLock: whenDown"));
    CHECK_THROWS_WITH(RedisThrottle(shop, "{", {.max = 1}), Catch::Contains("name"));
}
