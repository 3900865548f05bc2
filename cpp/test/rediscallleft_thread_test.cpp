#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "callshop.hpp"
#include "catch.hpp"
#include "steptree/scope.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

/// Of what `INFO` says.
std::int64_t numberOf(CallShop& shop, const char* section, const std::string& name) {
    const std::string text = shop.redis({"INFO", section}).text;
    const std::size_t at = text.find(name);
    return at == text.npos ? 0 : std::atoll(text.c_str() + at + name.size());
}

}  // namespace

TEST_CASE("each call of many that are left at once is cancelled once", "[redis][thread]") {
    constexpr int kCalls = 2000;
    CallShop shop({.lease = 60s});
    shop.script("calls/cancel", {"x", "10000", "x/1"});  // from now on Redis knows it
    Scope scope(shop.tool);
    std::vector<Future<std::string>> made;
    for (int i = 0; i < kCalls; ++i) made.push_back(scope.run(call(shop.prices, "work", "[]")));
    until([&] { return shop.waiting() == kCalls; });
    const auto before = numberOf(shop, "stats", "total_net_input_bytes:");
    CHECK(scope.close().get() == kCalls);
    until([&] { return shop.waiting() == 0; });
    const auto bytes = numberOf(shop, "stats", "total_net_input_bytes:") - before;
    INFO(bytes);
    CHECK(bytes < kCalls * 600);
}

TEST_CASE("a call that Redis doesn't take fails with RedisFailed, however long it's silent",
          "[redis][thread]") {
    CallShop shop({.lease = 1s, .patience = 400ms});
    shop.server.signal(SIGSTOP);
    for (int i = 0; i < 4; ++i) CHECK(shop.failing("echo") == "RedisFailed");
    shop.server.signal(SIGCONT);
    // What has come there meanwhile is cancelled, or ends with its session.
    until([&] { return shop.waiting() == 0; });
    const auto echo = step([&](IAsyncSteps&, const std::string& args, const ServedCall&) {
        shop.note(args);
        return args;
    });
    Server server(shop.tool, shop.served, {{"echo", echo}});
    CHECK(shop.ask("echo", "[1]") == "[1]");
    CHECK(shop.noted() == std::vector<std::string>{"[1]"});
}

TEST_CASE("a call that is left while Redis is away is cancelled when it's back",
          "[redis][thread]") {
    CallShop shop({.lease = 10s}, {"--appendonly", "yes", "--appendfsync", "always"});
    Server server(shop.tool, shop.served, {{"work", shop.hanging()}});
    std::stop_source stop;
    auto made = run(shop.tool, call(shop.prices, "work", "[]"), {.signal = stop.get_token()});
    until([&] { return shop.count("begins") == 1; });
    shop.server.kill();
    stop.request_stop();
    CHECK_THROWS_WITH(made.get(), Catch::Contains("Canceled"));
    CHECK(shop.count("left") == 0);
    shop.server.start();
    until([&] { return shop.count("left") == 1; });
}
