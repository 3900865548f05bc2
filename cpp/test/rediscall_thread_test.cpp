#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "callshop.hpp"
#include "catch.hpp"
#include "steptree/delay.hpp"
#include "steptree/mutex.hpp"
#include "steptree/sync.hpp"
#include "steptree/throttle.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

const auto kEcho =
    step([](IAsyncSteps&, const std::string& args, const ServedCall&) { return args; });
const auto kNothing = step([](IAsyncSteps&, const std::string&, const ServedCall&) {});

}  // namespace

TEST_CASE("a call leaves the reply of its method", "[redis][thread]") {
    CallShop shop;
    Server server(shop.tool, shop.served, {{"echo", kEcho}, {"nothing", kNothing}});
    CHECK(shop.ask("echo", R"(["978", 2])") == R"(["978", 2])");
    CHECK(shop.ask("nothing", "[]") == "null");
    std::vector<Future<std::string>> many;
    for (int i = 0; i < 50; ++i) {
        many.push_back(run(shop.tool, call(shop.prices, "echo", "[" + std::to_string(i) + "]")));
    }
    for (int i = 0; i < 50; ++i) CHECK(many[i].get() == "[" + std::to_string(i) + "]");
    CHECK(server.drain(1s).get() == 0);
    CHECK(server.size() == 0);
}

TEST_CASE("a call fails as its handler does, with code, info, causes, and a path that goes on",
          "[redis][thread]") {
    CallShop shop;
    const auto asks =
        step([](IAsyncSteps& asi) {
            asi.error("NoHost", "for 978", std::make_exception_ptr(std::runtime_error("net")));
        }).named("ask");
    const auto fails = step([asks](IAsyncSteps& asi, const std::string&, const ServedCall&) {
                           asi.add(asks);
                       }).named("shop");
    Server server(shop.tool, shop.served, {{"fail", fails}});
    const auto page =
        step([&](IAsyncSteps& asi) { asi.add(call(shop.prices, "fail", "[]")); }).named("page");
    try {
        static_cast<void>(run(shop.tool, page).get());
        FAIL("it has not failed");
    } catch (const StepError& error) {
        CHECK(error.code() == "NoHost");
        CHECK(error.info() == "for 978");
        CHECK(error.path() == "page/prices.fail/shop/ask");
        REQUIRE(error.cause() != nullptr);
        CHECK_THROWS_WITH(std::rethrow_exception(error.cause()), "InternalError: net");
    }
}

TEST_CASE("a call that is left cancels the flow of its handler, or leaves the queue",
          "[redis][thread]") {
    CallShop shop;
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}}, {.concurrency = 1});
    const auto work = call(shop.prices, "work", "[]");
    std::stop_source stop;
    auto first = run(shop.tool, work, {.signal = stop.get_token()});
    until([&] { return shop.count("begins") == 1; });
    CHECK(shop.codeOf(work.timeout(50)) == "Timeout");
    until([&] { return shop.waiting() == 0; });
    stop.request_stop();
    CHECK_THROWS_WITH(first.get(), Catch::Contains("Canceled"));
    until([&] { return shop.count("left") == 1; });
    while (shop.count("begins") == 1) CHECK(shop.codeOf(work.timeout(200)) == "Timeout");
    until([&] { return shop.count("left") == 2; });
    CHECK(shop.count("begins") == 2);
    until([&] { return server.size() == 0; });
}

TEST_CASE("calls are handed out in their order, so many at a time, within any guard",
          "[redis][thread]") {
    CallShop shop;
    std::vector<Future<std::string>> made;
    for (int i = 0; i < 8; ++i) {
        made.push_back(run(shop.tool, call(shop.prices, "note", "[" + std::to_string(i) + "]")));
        until([&] { return shop.waiting() == i + 1; });
    }
    CHECK(run(shop.tool, shop.served.waiting()).get() == 8);
    ThreadMutex one;
    std::atomic<int> inside = 0;
    std::atomic<bool> overlaps = false;
    const auto notes = step([&](IAsyncSteps& asi, const std::string& args, const ServedCall&) {
        overlaps = overlaps || ++inside > 1;
        shop.note(args);
        asi.add(delay(2));
        asi.add([&](IAsyncSteps&) { --inside; });
    });
    Server server(shop.tool, shop.served, {{"note", sync(one, notes)}}, {.concurrency = 3});
    std::size_t most = 0;
    for (auto& each : made) {
        while (each.waitFor(0ms) == false) {
            most = std::max(most, server.size());
            std::this_thread::sleep_for(200us);
        }
    }
    CHECK(most <= 3);
    CHECK_FALSE(overlaps);
    std::vector<std::string> inOrder;
    for (int i = 0; i < 8; ++i) inOrder.push_back("[" + std::to_string(i) + "]");
    CHECK(shop.noted() == inOrder);
}

TEST_CASE("the handler finds what was asked for, the time that is left, and the trace",
          "[redis][thread]") {
    CallShop shop;
    const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    std::atomic<std::int64_t> left = 0;
    const auto looks = step([&](IAsyncSteps& asi, const std::string& args, const ServedCall& of) {
        left = asi.remaining();
        shop.note(of.service() + "." + of.method() + args + of.traceparent());
        shop.note(of.id());
    });
    Server server(shop.tool, shop.served, {{"look", looks}});
    shop.ask("look", "[]");
    CHECK(left == std::numeric_limits<std::int64_t>::max());
    const auto traced = call(shop.prices, "look", "[1]", {.traceparent = trace});
    run(shop.tool, traced.timeout(5000)).get();
    CHECK(left > 0);
    CHECK(left <= 5000);
    const auto noted = shop.noted();
    REQUIRE(noted.size() == 4);
    CHECK(noted[0] == "prices.look[]");
    CHECK(noted[1] != noted[3]);
    CHECK(noted[2] == "prices.look[1]" + trace);
}

TEST_CASE("a call whose time is over in the queue isn't begun", "[redis][thread]") {
    CallShop shop;
    CHECK(shop.codeOf(call(shop.prices, "work", "[]").timeout(30)) == "Timeout");
    until([&] { return shop.waiting() == 0; });
    // One of a caller that doesn't know it.
    CHECK(shop.script("calls/send", {"x", "10000", "x/1", "work", "[]", "1", "", ""}).number == 1);
    std::this_thread::sleep_for(5ms);
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}, {"echo", kEcho}});
    CHECK(shop.ask("echo", "[1]") == "[1]");
    CHECK(shop.noted().empty());
}

TEST_CASE("a call of an unknown method or with arguments that are none fails, no handler is called",
          "[redis][thread]") {
    CallShop shop({.maxBytes = 1000, .maxDepth = 3});
    const auto accepts = [](const std::string& args, const std::string& method) {
        if (args == "[0]") throw std::runtime_error("zero");
        return method == "work" && args != "[false]";
    };
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}}, {.accepts = accepts});
    CHECK(shop.failing("play") == "UnknownMethod");
    CHECK(shop.failing("work", "[false]") == "InvalidCall");
    CHECK(shop.failing("work", "[0]") == "InvalidCall");
    // What anybody may have written.
    int number = 0;
    const std::string large = "[\"" + std::string(2000, 'x') + "\"]";
    for (const std::string& args : {std::string("{}"), std::string("["), std::string("[[[[]]]]"),
                                    large, std::string("\xff")}) {
        const std::string id = "x/" + std::to_string(++number);
        CHECK(shop.script("calls/send", {"x", "10000", id, "work", args, "", "", ""}).number == 1);
        const auto reply = [&] {
            return shop.redis({"HGET", "{shop:call:prices}:replies:x", id}).text;
        };
        until([&] { return !reply().empty(); });
        INFO(args);
        CHECK(reply().find("InvalidCall") != std::string::npos);
    }
    CHECK(shop.noted().empty());
}

TEST_CASE("a reply that is none, or too large, fails the call", "[redis][thread]") {
    CallShop shop({.maxBytes = 1000});
    const auto none =
        step([](IAsyncSteps&, const std::string&, const ServedCall&) { return std::string("{"); });
    const auto number = step([](IAsyncSteps&, const std::string&, const ServedCall&) { return 1; });
    const auto large = step([](IAsyncSteps&, const std::string&, const ServedCall&) {
        return '"' + std::string(1000, 'x') + '"';
    });
    Server server(shop.tool, shop.served, {{"none", none}, {"number", number}, {"large", large}},
                  {.report = [](const StepError&) {}});
    for (const char* method : {"none", "number", "large"}) {
        CHECK(shop.failing(method) == "InternalError");
    }
}

TEST_CASE("an error that anybody has made deep fails the call", "[redis][thread]") {
    CallShop shop;
    auto made = run(shop.tool, call(shop.prices, "echo", "[]"));
    until([&] { return shop.waiting() == 1; });
    const std::string id =
        shop.redis({"ZRANGE", "{shop:call:prices}:queue", "0", "0"}).list.at(0).text;
    constexpr std::size_t depth = 200'000;
    const std::string deep = "[{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}]";
    shop.redis(
        {"PUBLISH", "{shop:call:prices}:to:" + id.substr(0, id.find('/')), id + " -" + deep});
    CHECK_THROWS_WITH(made.get(), Catch::Contains("the reply is none"));
}

TEST_CASE("a reply that is long, or that nobody heard, is fetched", "[redis][thread]") {
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
    Server server(shop.tool, shop.served, {{"echo", kEcho}, {"work", work}});
    for (const std::size_t size : {10, 65'530, 66'000, 1'000'000}) {
        const std::string args = "[\"" + std::string(size, 'x') + "\"]";
        CHECK(shop.ask("echo", args) == args);
    }
    auto made = run(shop.tool, call(shop.prices, "work", "[7]"));
    until([&] { return shop.count("begins") == 1; });
    shop.redis({"CLIENT", "KILL", "TYPE", "pubsub"});
    goes = true;
    CHECK(made.get() == "[7]");
}

TEST_CASE("as many calls wait as maxQueue allows, and those who serve go on", "[redis][thread]") {
    CallShop shop({.maxQueue = 2});
    const auto echo = call(shop.prices, "echo", "[]");
    auto one = run(shop.tool, echo);
    auto two = run(shop.tool, echo);
    until([&] { return shop.waiting() == 2; });
    CHECK(shop.codeOf(echo) == "DefenseRejected");
    Server server(shop.tool, shop.served, {{"echo", kEcho}});
    CHECK(one.get() == "[]");
    CHECK(two.get() == "[]");
}

TEST_CASE("a call that the guard of its handler refuses says when it lets the next one in",
          "[redis][thread]") {
    CallShop shop;
    ThreadThrottle rate({.max = 1, .period = 60s, .maxQueue = 0});
    Server server(shop.tool, shop.served, {{"echo", sync(rate, kEcho)}});
    CHECK(shop.ask("echo", "[]") == "[]");
    try {
        shop.ask("echo", "[]");
        FAIL("it has not failed");
    } catch (const StepError& error) {
        CHECK(error.code() == "DefenseRejected");
        CHECK(error.retryAfter() > 0);
    }
}

TEST_CASE("an idle server is told of calls, and doesn't poll; two leases later nothing is left",
          "[redis][thread]") {
    CallShop shop;
    {
        Server server(shop.tool, shop.served, {{"echo", kEcho}});
        shop.ask("echo", "[]");
        std::this_thread::sleep_for(50ms);
        const auto scripts = [&] {
            const std::string stats = shop.redis({"INFO", "commandstats"}).text;
            const std::string name = "cmdstat_evalsha:calls=";
            return std::stoll(stats.substr(stats.find(name) + name.size()));
        };
        const auto before = scripts();
        std::this_thread::sleep_for(200ms);
        CHECK(scripts() == before);
        shop.ask("echo", "[]");
    }
    const auto keys = shop.redis({"KEYS", "*"});
    CHECK(keys.list.size() >= 2);
    for (const auto& key : keys.list) {
        INFO(key.text);
        CHECK(key.text.starts_with("{shop:call:prices}"));
        const auto left = shop.redis({"PTTL", key.text}).number;
        CHECK(left > 0);
        CHECK(left <= 20'000);
    }
}

TEST_CASE("a call that is sent twice is one, and who doesn't have it can't answer it",
          "[redis][thread]") {
    CallShop shop;
    const std::vector<std::string> words{"x", "10000", "x/1", "work", "[]", "", "", ""};
    CHECK(shop.script("calls/send", words).number == 1);
    CHECK(shop.script("calls/send", words).number == 1);
    CHECK(shop.waiting() == 1);
    CHECK(shop.script("calls/reply", {"y", "10000", "x/1", "+1"}).number == 0);
    CHECK(shop.script("calls/take", {"y", "10000", "5", "1000", "1"}).list.at(0).list.size() == 1);
    CHECK(shop.script("calls/send", words).number == 1);
    CHECK(shop.waiting() == 0);
    CHECK(shop.script("calls/reply", {"z", "10000", "x/1", "+1"}).number == 0);
    CHECK(shop.script("calls/reply", {"y", "10000", "x/1", "+1"}).number == 1);
    CHECK(shop.script("calls/reply", {"y", "10000", "x/1", "+2"}).number == 0);
}

TEST_CASE("mistakes of services, calls and servers are said at the call", "[redis][thread]") {
    CallShop shop;
    const auto bad = [](const auto& makes) { CHECK_THROWS_AS(makes(), StepError); };
    bad([&] { RedisService(shop.near, "a{b"); });
    bad([&] { RedisService(shop.near, "a", {.lease = 999ms}); });
    bad([&] { RedisService(shop.near, "a", {.maxQueue = 0}); });
    bad([&] { RedisService(shop.near, "a", {.maxBytes = 0}); });
    bad([&] { RedisService(shop.near, "a", {.maxDepth = -1}); });
    bad([&] { RedisService(shop.near, "a", {.patience = -1ms}); });
    bad([&] { RedisService(shop.near, "a", {.lease = 1s, .patience = 1001ms}); });
    bad([&] { static_cast<void>(call(shop.prices, "", "[]")); });
    bad([&] { static_cast<void>(call(shop.prices, "a", "{}")); });
    bad([&] { static_cast<void>(call(shop.prices, "a", "[")); });
    bad([&] {
        static_cast<void>(call(shop.prices, "a", "[\"" + std::string(2'000'000, 'x') + "\"]"));
    });
    bad([&] { static_cast<void>(call(shop.prices, "a", "[]", {.traceparent = "00-1-2-3"})); });
    bad([&] {
        const std::string zero(32, '0');
        static_cast<void>(
            call(shop.prices, "a", "[]", {.traceparent = "00-" + zero + "-b7ad6b7169203331-01"}));
    });
    bad([&] { Server(shop.tool, shop.served, {}); });
    bad([&] { Server(shop.tool, shop.served, {{"", kEcho}}); });
    bad([&] { Server(shop.tool, shop.served, {{"a", kEcho}}, {.concurrency = 0}); });
    Server server(shop.tool, shop.served, {{"a", kEcho}});
    bad([&] { static_cast<void>(server.drain(-1)); });
}
