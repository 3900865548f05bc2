#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "callshop.hpp"
#include "catch.hpp"
#include "steptree/delay.hpp"
#include "steptree/scope.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

using Steady = std::chrono::steady_clock;

const auto kEcho =
    step([](IAsyncSteps&, const std::string& args, const ServedCall&) { return args; });
const RedisServiceOptions kShort{.lease = 1s};

/// Another process. It's begun while this one has a thread only.
class Child {
  public:
    template <class Run>
    explicit Child(Run run) : child_(fork()) {
        if (child_ != 0) return;
        run();
        for (;;) pause();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { end(); }

    void end() {
        if (child_ <= 0) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        child_ = -1;
    }

  private:
    pid_t child_;
};

}  // namespace

TEST_CASE("a call whose server is killed is lost within the lease, and isn't run again",
          "[redis][thread]") {
    auto redis = std::make_unique<RedisServer>();
    Child child([&] {
        static AsyncTool tool;
        static RedisConnection shop({.prefix = "shop", .port = redis->port()});
        static RedisService prices(shop, "prices", kShort);
        const auto hangs = step(
            [](IAsyncSteps& asi, const std::string&, const ServedCall&) { asi.waitExternal(); });
        static Server server(tool, prices, {{"work", hangs}});
    });
    CallShop shop(std::move(redis), kShort);
    auto made = run(shop.tool, call(shop.prices, "work", "[]"));
    until([&] {
        const auto calls = shop.redis({"KEYS", "{shop:call:prices}:call:*"});
        return calls.list.size() == 1 && shop.waiting() == 0;
    });
    child.end();
    const auto killed = Steady::now();
    CHECK_THROWS_WITH(made.get(), Catch::Contains("CallLost"));
    CHECK(Steady::now() - killed < 2s);
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}, {"echo", kEcho}});
    CHECK(shop.ask("echo", "[1]") == "[1]");
    CHECK(shop.noted().empty());
}

TEST_CASE("what a process has called that is killed is cancelled within the lease",
          "[redis][thread]") {
    const RedisServiceOptions patient{.lease = 2s, .patience = 2s};
    auto redis = std::make_unique<RedisServer>();
    Child child([&] {
        static AsyncTool tool;
        static RedisConnection shop({.prefix = "shop", .port = redis->port()});
        static RedisService prices(shop, "prices", patient);
        static std::vector<Future<std::string>> made;
        for (int i = 0; i < 800; ++i) made.push_back(run(tool, call(prices, "work", "[]")));
    });
    CallShop shop(std::move(redis), patient);
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}}, {.concurrency = 2});
    until([&] { return shop.waiting() > 600 && shop.count("begins") == 2; });
    child.end();
    const auto killed = Steady::now();
    until([&] { return shop.count("left") >= 2 && shop.waiting() == 0; });
    CHECK(Steady::now() - killed < 4s);
    until([&] { return server.size() == 0; });
}

TEST_CASE("while Redis is silent calls are lost here and left there, and both go on behind it",
          "[redis][thread]") {
    CallShop shop(kShort);
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}, {"echo", kEcho}});
    auto made = run(shop.tool, call(shop.prices, "work", "[]"));
    until([&] { return shop.count("begins") == 1; });
    CHECK(shop.ask("echo", "[0]") == "[0]");  // so the caller has heard that Redis has the first
    shop.server.signal(SIGSTOP);
    const auto stopped = Steady::now();
    CHECK(shop.failing("echo") == "RedisFailed");
    CHECK(Steady::now() - stopped < 900ms);
    CHECK_THROWS_WITH(made.get(), Catch::Contains("CallLost"));
    CHECK(Steady::now() - stopped < 2s);
    until([&] { return shop.count("left") == 1; });
    CHECK(Steady::now() - stopped < 2s);
    shop.server.signal(SIGCONT);
    CHECK(shop.ask("echo", "[1]") == "[1]");
    CHECK(shop.count("begins") == 1);
}

TEST_CASE("what Redis has forgotten is lost here and left there", "[redis][thread]") {
    CallShop shop(kShort);
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}, {"echo", kEcho}});
    for (int round = 1; round <= 2; ++round) {
        auto made = run(shop.tool, call(shop.prices, "work", "[]"));
        until([&] { return shop.count("begins") == static_cast<std::size_t>(round); });
        if (round == 1) {
            shop.redis({"FLUSHALL"});
        } else {
            shop.server.kill();
            shop.server.start();
        }
        const auto emptied = Steady::now();
        CHECK_THROWS_WITH(made.get(), Catch::Contains("CallLost"));
        until([&] { return shop.count("left") == static_cast<std::size_t>(round); });
        CHECK(Steady::now() - emptied < 2s);
        until([&] { return shop.failing("echo").empty(); });
    }
}

TEST_CASE("a server that was not connected finds out which calls were left", "[redis][thread]") {
    CallShop shop;
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}});
    auto made = run(shop.tool, call(shop.prices, "work", "[]"));
    until([&] { return shop.count("begins") == 1; });
    const std::string key = shop.redis({"KEYS", "{shop:call:prices}:call:*"}).list.at(0).text;
    const std::string id = key.substr(std::string("{shop:call:prices}:call:").size());
    // It takes 50 ms at least till they are connected again.
    shop.redis({"CLIENT", "KILL", "TYPE", "pubsub"});
    shop.script("calls/cancel", {id.substr(0, id.find('/')), "10000", id});
    until([&] { return shop.count("left") == 1; });
    CHECK_THROWS_WITH(made.get(), Catch::Contains("CallLost"));
}

TEST_CASE("a call whose server never got the answer that gave it is put back", "[redis][thread]") {
    CallShop shop(kShort);
    Server server(shop.tool, shop.served, {{"echo", kEcho}, {"work", shop.hanging()}},
                  {.concurrency = 1});
    std::stop_source stop;
    auto works = run(shop.tool, call(shop.prices, "work", "[]"), {.signal = stop.get_token()});
    until([&] { return shop.count("begins") == 1; });
    // Its own session takes it, and it doesn't know.
    CHECK(shop.script("calls/send", {"x", "60000", "x/1", "echo", "[]", "", "", ""}).number == 1);
    for (const std::string& session : shop.sessions()) {
        if (shop.redis({"SCARD", "{shop:call:prices}:has:" + session}).number == 0) continue;
        const auto taken = shop.redis({"SMEMBERS", "{shop:call:prices}:has:" + session});
        const bool isServer = !taken.list.at(0).text.starts_with(session);
        if (isServer) shop.script("calls/take", {session, "1000", "1", "1000", "0"});
    }
    CHECK(shop.waiting() == 0);
    stop.request_stop();
    CHECK_THROWS_WITH(works.get(), Catch::Contains("Canceled"));
    const auto reply = [&] {
        return shop.redis({"HGET", "{shop:call:prices}:replies:x", "x/1"}).text;
    };
    until([&] { return !reply().empty(); });
    CHECK(reply() == "+[]");
}

TEST_CASE("a reply that Redis doesn't take is tried again", "[redis][thread]") {
    CallShop shop({.lease = 10s}, {"--appendonly", "yes", "--appendfsync", "always"});
    std::atomic<bool> goes = false;
    const auto work = step([&](IAsyncSteps& asi, const std::string& args, const ServedCall&) {
        shop.note("begins");
        asi.loop([&](IAsyncSteps& round) {
            if (goes) round.breakLoop();
            round.add(delay(1));
        });
        asi.add([args](IAsyncSteps&) { return args; });
    });
    Server server(shop.tool, shop.served, {{"work", work}});
    auto made = run(shop.tool, call(shop.prices, "work", "[7]"));
    until([&] { return shop.count("begins") == 1; });
    shop.server.kill();
    goes = true;
    std::this_thread::sleep_for(100ms);
    shop.server.start();
    CHECK(made.get() == "[7]");
}

TEST_CASE("a server without memory in Redis answers what is there", "[redis][thread]") {
    CallShop shop;
    std::atomic<bool> goes = false;
    const auto work = step([&](IAsyncSteps& asi, const std::string& args, const ServedCall&) {
        shop.note("begins");
        asi.loop([&](IAsyncSteps& round) {
            if (goes) round.breakLoop();
            round.add(delay(1));
        });
        asi.add([args](IAsyncSteps&) { return args; });
    });
    Server server(shop.tool, shop.served, {{"work", work}});
    auto made = run(shop.tool, call(shop.prices, "work", "[7]"));
    until([&] { return shop.count("begins") == 1; });
    shop.redis({"CONFIG", "SET", "maxmemory", "1"});
    CHECK(shop.failing("work") == "RedisFailed");
    goes = true;
    CHECK(made.get() == "[7]");
    shop.redis({"CONFIG", "SET", "maxmemory", "0"});
    CHECK(shop.ask("work", "[8]") == "[8]");
}

TEST_CASE("a drain lets calls end for its time, then they are lost", "[redis][thread]") {
    CallShop shop;
    const auto shorter = step([](IAsyncSteps& asi, const std::string& args, const ServedCall&) {
        asi.add(delay(60));
        asi.add([args](IAsyncSteps&) { return args; });
    });
    std::optional<Server> server(std::in_place, shop.tool, shop.served,
                                 Server::Handlers{{"work", shop.hanging()}, {"short", shorter}});
    auto ends = run(shop.tool, call(shop.prices, "short", "[1]"));
    auto hangs = run(shop.tool, call(shop.prices, "work", "[]"));
    until([&] { return server->size() == 2; });
    auto drained = server->drain(1s);
    auto waits = run(shop.tool, call(shop.prices, "short", "[2]"));
    CHECK(drained.get() == 1);
    CHECK(ends.get() == "[1]");
    CHECK_THROWS_WITH(hangs.get(), Catch::Contains("CallLost: the server has ended"));
    CHECK(shop.count("left") == 1);
    server.emplace(shop.tool, shop.served, Server::Handlers{{"short", shorter}});
    CHECK(waits.get() == "[2]");
}

TEST_CASE("a server drains without Redis", "[redis][thread]") {
    CallShop shop(kShort);
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}});
    auto made = run(shop.tool, call(shop.prices, "work", "[]"));
    until([&] { return shop.count("begins") == 1; });
    shop.server.kill();
    const auto killed = Steady::now();
    CHECK(server.drain(0).get() == 0);
    CHECK(Steady::now() - killed < 2500ms);
    CHECK_THROWS_WITH(made.get(), Catch::Contains("CallLost"));
}

TEST_CASE("a server, a service and callers may go at any time, also by a flow of their tool",
          "[redis][thread]") {
    CallShop shop(kShort);
    const auto slow = step([](IAsyncSteps& asi, const std::string& args, const ServedCall&) {
        asi.add(delay(1));
        asi.add([args](IAsyncSteps&) { return args; });
    });
    Server keeps(shop.tool, shop.served, {{"slow", slow}}, {.concurrency = 3});
    for (int i = 0; i < 60; ++i) {
        std::optional<Server> server(std::in_place, shop.tool, shop.served,
                                     Server::Handlers{{"slow", slow}});
        std::optional<RedisService> own(std::in_place, shop.near, "prices", kShort);
        AsyncTool callers;
        Scope scope(callers);
        std::vector<Future<std::string>> made;
        for (int n = 0; n < 10; ++n) made.push_back(scope.run(call(*own, "slow", "[1]")));
        std::this_thread::sleep_for(std::chrono::microseconds(i * 60));
        if (i % 3 == 0) static_cast<void>(server->drain(0));
        if (i % 2 == 0) run(shop.tool, step([&](IAsyncSteps&) { server.reset(); })).get();
        scope.close().get();
        own.reset();
        for (auto& each : made) {
            try {
                const std::string reply = each.get();
                CHECK(reply == "[1]");
            } catch (const StepError& error) {
                CHECK((error.code() == "Canceled" || error.code() == "CallLost"));
            }
        }
    }
    // One that went a moment ago may still have asked for it.
    std::string code = "CallLost";
    while (code == "CallLost") code = shop.codeOf(call(shop.prices, "slow", "[2]"));
    CHECK(code.empty());
    CHECK(keeps.drain(1s).get() == 0);
}
