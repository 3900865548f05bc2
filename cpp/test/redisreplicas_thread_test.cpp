#include <chrono>
#include <string>
#include <vector>

#include "catch.hpp"
#include "redispair.hpp"
#include "steptree/redisthrottle.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

constexpr auto kLease = 6s;
constexpr auto kPatience = 2s;
constexpr auto kMeanwhile = 3s;
const auto nothing = [](IAsyncSteps&) {};

RedisMutexOptions safe(WhenDown whenDown = WhenDown::wait) {
    return {.lease = kLease, .patience = kPatience, .replicas = 1, .whenDown = whenDown};
}

}  // namespace

TEST_CASE("a replica that hears nothing lets two in after a failover, but not if it has to hear",
          "[redis][thread]") {
    RedisPair pair;
    Process mine(pair.led());
    Process other(pair.led());
    RedisMutex plain(mine.connection, "m", {.lease = kLease, .patience = kPatience});
    RedisMutex careful(mine.connection, "careful", safe(WhenDown::fail));
    RedisMutex another(other.connection, "m",
                       {.lease = kLease, .patience = kPatience, .whenDown = WhenDown::wait});
    pair.part();
    bool isIn = false;
    CHECK(mine.failureOf(sync(careful, [&](IAsyncSteps&) { isIn = true; })) ==
          "RedisFailed careful -1 mutex 'careful': only 0 of 1 replicas have it");
    CHECK_FALSE(isIn);
    until([&] { return askRedis(pair.atMaster, {"DBSIZE"}).number == 0; });  // it's given back
    Stays one(plain);
    auto first = mine.codeOf(one.section());
    one.said.until(1);
    pair.failOver();
    CHECK(other.codeOf(sync(another, nothing)).get() == "ok");
    CHECK(first.wait_for(0s) == std::future_status::timeout);
    one.letGo();
    CHECK(first.get() != "");
}

TEST_CASE("a replica that has to hear keeps places over a failover to it, and entries",
          "[redis][thread]") {
    RedisPair pair;
    Process mine(pair.led());
    Process other(pair.led());
    RedisMutex a(mine.connection, "m", safe());
    RedisMutex b(other.connection, "m", safe());
    RedisThrottle throttle(mine.connection, "t",
                           {.max = 1,
                            .period = 60'000,
                            .patience = kPatience,
                            .replicas = 1,
                            .whenDown = WhenDown::wait});
    CHECK(mine.codeOf(sync(throttle, nothing)).get() == "ok");
    Stays one(a);
    Stays two(b);
    auto first = std::async(std::launch::async, [&] { return mine.failureOf(one.section()); });
    one.said.until(1);
    pair.failOver();
    auto second = other.codeOf(two.section().timeout(kMeanwhile));
    auto entry = mine.codeOf(sync(throttle, nothing).timeout(kMeanwhile));
    std::this_thread::sleep_for(1s);
    CHECK(two.said.words().empty());
    askRedis(pair.direct, {"FLUSHALL"});  // no replica has it now: what is in is lost
    CHECK(first.get().starts_with("LeaseLost m -1 mutex 'm'"));
    CHECK(entry.get() == "Timeout");
    CHECK(second.get() == "Timeout");
    CHECK(two.said.words().empty());
}

TEST_CASE("who has waited is let in once the replica has heard", "[redis][thread]") {
    RedisPair pair;
    Process mine(pair.led());
    Process other(pair.led());
    RedisMutex a(mine.connection, "m", safe());
    RedisMutex b(other.connection, "m", safe());
    Stays one(a);
    Stays two(b);
    auto first = mine.codeOf(one.section());
    one.said.until(1);
    auto second = other.codeOf(two.section());
    mine.untilWaiting("mutex:m", 1);
    pair.part();
    one.letGo();
    CHECK(first.get() == "ok");
    until([&] { return mine.waiting("mutex:m") == 0; });  // it's in at the master
    std::this_thread::sleep_for(300ms);
    CHECK(two.said.words().empty());
    pair.follow();
    two.said.until(1);
    two.letGo();
    CHECK(second.get() == "ok");
}

TEST_CASE("a lease that no replica hears of is no longer", "[redis][thread]") {
    RedisPair pair;
    Process mine(pair.led());
    RedisMutex mutex(mine.connection, "m",
                     {.lease = 1500ms, .replicas = 1, .whenDown = WhenDown::wait});
    Stays one(mutex);
    auto first = std::async(std::launch::async, [&] { return mine.failureOf(one.section()); });
    one.said.until(1);
    std::this_thread::sleep_for(1600ms);  // it has been renewed
    CHECK(first.wait_for(0s) == std::future_status::timeout);
    pair.part();
    CHECK(first.get() ==
          "LeaseLost m -1 mutex 'm': Redis has not been heard of for the time of the lease");
}

TEST_CASE("many that have to be heard wait together, and their scripts needn't be there",
          "[redis][thread]") {
    RedisPair pair;
    Process mine(pair.led());
    RedisMutexOptions options = safe();
    options.max = 100;
    RedisMutex mutex(mine.connection, "m", options);
    CHECK(mine.codeOf(sync(mutex, nothing)).get() == "ok");
    askRedis(pair.atMaster, {"SCRIPT", "FLUSH"});
    askRedis(pair.atMaster, {"CONFIG", "RESETSTAT"});
    std::vector<Future<void>> runs;
    runs.reserve(100);
    for (int i = 0; i < 100; ++i) runs.push_back(run(mine.tool, sync(mutex, nothing)));
    for (auto& each : runs) each.get();
    const std::string stats = askRedis(pair.atMaster, {"INFO", "commandstats"}).text;
    const std::string calls = "cmdstat_wait:calls=";
    const std::size_t at = stats.find(calls);
    REQUIRE(at != stats.npos);
    const int waits = std::stoi(stats.substr(at + calls.size()));
    CHECK(waits >= 1);
    CHECK(waits < 50);
}

TEST_CASE("a connection by which nothing can be confirmed keeps nothing of a guard that has to be",
          "[redis][thread]") {
    const RedisServer server;
    Process admin(server);
    askRedis(admin.connection,
             {"ACL", "SETUSER", "ann", "on", ">secret", "~*", "&*", "+@all", "-wait"});
    Process mine(
        RedisOptions{.prefix = "shop", .port = server.port(), .user = "ann", .password = "secret"});
    RedisMutex mutex(mine.connection, "m", {.lease = 60s, .replicas = 1});
    CHECK(mine.failureOf(sync(mutex, nothing))
              .starts_with("RedisFailed m -1 mutex 'm': the replicas weren't asked: NOPERM"));
    RedisMutex other(admin.connection, "m", {.lease = 60s});
    CHECK(admin.codeOf(sync(other, nothing).timeout(5s)).get() == "ok");
}

TEST_CASE("what waits for replicas when its connection is lost, or closed, is given back",
          "[redis][thread]") {
    const RedisServer server;
    Process admin(server);
    RedisMutex other(admin.connection, "m", {.lease = 20s});
    const auto isWaiting = [&] {
        const std::string all = askRedis(admin.connection, {"CLIENT", "LIST"}).text;
        return all.find("cmd=wait") != std::string::npos;
    };
    {
        Process mine(server);
        RedisMutex mutex(mine.connection, "m", {.lease = 20s, .patience = 20s, .replicas = 1});
        const auto begun = std::chrono::steady_clock::now();
        auto failure =
            std::async(std::launch::async, [&] { return mine.failureOf(sync(mutex, nothing)); });
        until(isWaiting);
        askRedis(admin.connection, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
        CHECK(failure.get() == "RedisFailed m -1 mutex 'm': the replicas weren't asked: lost");
        CHECK(std::chrono::steady_clock::now() - begun < 8s);
        CHECK(admin.codeOf(sync(other, nothing).timeout(5s)).get() == "ok");
        until([&] {
            CHECK(mine.codeOf(sync(mutex, nothing).timeout(50ms)).get() != "ok");
            return isWaiting();
        });
    }
    CHECK(admin.codeOf(sync(other, nothing).timeout(5s)).get() == "ok");
}
