#include <cstdint>
#include <string>
#include <vector>

#include "callshop.hpp"
#include "catch.hpp"
#include "steptree/loop.hpp"

using namespace rig;
using namespace steptree;

namespace {

constexpr std::int64_t kLines = 64;
constexpr std::int64_t kRounds = 20;

/// How many commands the server has run, those of scripts too.
double commandsIn(const std::string& stats, const std::string& of) {
    double commands = 0;
    const std::string calls = ":calls=";
    for (std::size_t at = 0; (at = stats.find("cmdstat_" + of, at)) != stats.npos; ++at)
        commands += std::stod(stats.substr(stats.find(calls, at) + calls.size()));
    return commands;
}

}  // namespace

TEST_CASE("a call of many at a time is two scripts, and some forty commands of the server",
          "[redis][thread]") {
    CallShop shop;
    const auto quote =
        step([](IAsyncSteps&, const std::string& args, const ServedCall&) { return args; });
    const Server server(shop.tool, shop.served, {{"quote", quote}}, {.concurrency = 32});
    const auto line = repeat(kRounds, [&](IAsyncSteps& asi, std::int64_t round) {
        asi.add(call(shop.prices, "quote", "[" + std::to_string(round) + "]"));
    });
    run(shop.tool, line).get();
    shop.redis({"CONFIG", "RESETSTAT"});
    std::vector<Future<void>> running;
    for (std::int64_t i = 0; i < kLines; ++i) running.push_back(run(shop.tool, line));
    for (auto& each : running) each.get();
    const std::string stats = shop.redis({"INFO", "commandstats"}).text;
    const double calls = kLines * kRounds;
    CHECK(commandsIn(stats, "evalsha") / calls < 2.5);
    CHECK(commandsIn(stats, "") / calls < 44);
}
