#include <cstdint>
#include <string>

#include "catch.hpp"
#include "guardshop.hpp"
#include "steptree/redislimiter.hpp"
#include "steptree/redismutex.hpp"
#include "steptree/redisrwlock.hpp"
#include "steptree/redisthrottle.hpp"

using namespace rig;
using namespace steptree;

namespace {

/// "active waiting entries", of which `-` is no rate.
std::string textOf(const RedisGuardCounts& counts) {
    const auto entries = counts.entries == kUnlimited ? "-" : std::to_string(counts.entries);
    return std::to_string(counts.active) + " " + std::to_string(counts.waiting) + " " + entries;
}

template <class Guard>
std::string countsOf(Process& process, Guard& guard) {
    return textOf(run(process.tool, guard.counts()).get());
}

}  // namespace

TEST_CASE("a guard over Redis says who is in and waits of all processes, and what a rate has left",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    RedisMutex first(one.connection, "m", {.max = 3});
    RedisMutex second(two.connection, "m", {.max = 3});
    CHECK(countsOf(one, first) == "0 0 -");
    Stays several(first.places(2));
    Stays single(second);
    auto ends = one.codeOf(several.section());
    several.said.until(1);
    auto other = two.codeOf(single.section());
    single.said.until(1);
    auto waits = two.codeOf(sync(second, [](IAsyncSteps&) {}));
    two.untilWaiting("mutex:m", 1);
    CHECK(countsOf(one, first) == "3 1 -");
    several.letGo();
    single.letGo();
    CHECK(ends.get() + other.get() + waits.get() == "okokok");

    RedisRwLock lock(one.connection, "l");
    Stays writes(lock.write);
    auto writing = one.codeOf(writes.section());
    writes.said.until(1);
    CHECK(countsOf(one, lock) == "1 0 -");
    writes.letGo();
    CHECK(writing.get() == "ok");

    RedisThrottle rate(one.connection, "t", {.max = 5, .period = 60'000});
    RedisLimiter both(one.connection, "b", {.concurrent = 2, .rate = 5, .period = 60'000});
    for (Guard* guard : {static_cast<Guard*>(&rate), static_cast<Guard*>(&both)}) {
        CHECK(one.codeOf(sync(*guard, [](IAsyncSteps&) {})).get() == "ok");
    }
    CHECK(countsOf(one, rate) == "0 0 4");
    CHECK(countsOf(one, both) == "0 0 4");
}
