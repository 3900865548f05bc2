// Sections of a guard over Redis, for tests with other processes:
//
//     steptree-redis-guards PORT mutex|limiter NAME SECTIONS MS
//
// Each section says `in TOKEN NANOSECONDS`, then `out NANOSECONDS`, by the clock of the machine.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "steptree/asynctool.hpp"
#include "steptree/delay.hpp"
#include "steptree/redislimiter.hpp"
#include "steptree/redismutex.hpp"
#include "steptree/run.hpp"
#include "steptree/sync.hpp"

using namespace steptree;
using namespace std::chrono_literals;

namespace {

void say(const std::string& word) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    std::cout << word << " " << std::chrono::nanoseconds(now).count() << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    const std::string name = argv[3];
    const int ms = std::atoi(argv[5]);
    RedisConnection shop(
        {.prefix = "shop", .port = static_cast<std::uint16_t>(std::atoi(argv[1]))});
    AsyncTool tool;
    RedisMutex mutex(shop, name, {.lease = 1s, .patience = 20s});
    RedisLimiter limiter(
        shop, name, {.concurrent = 2, .rate = 10, .period = 100, .lease = 1s, .patience = 20s});
    const bool isMutex = std::string(argv[2]) == "mutex";
    Guard& guard = isMutex ? static_cast<Guard&>(mutex) : limiter;
    const auto section = sync(guard, [&](IAsyncSteps& asi) {
        say("in " + (isMutex ? mutex.token(asi) : "0"));
        asi.add(delay(ms)).add([](IAsyncSteps&) { say("out"); });
    });
    std::vector<Future<void>> runs;
    for (int i = 0; i < std::atoi(argv[4]); ++i) runs.push_back(run(tool, section));
    for (auto& each : runs) each.get();
    return 0;
}
