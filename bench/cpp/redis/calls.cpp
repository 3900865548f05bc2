/// One process of the bench over Redis, which bench/redis/member.ts starts: what
/// bench/js/redis/calls.ts is.
///
///     bench-redis --version
///     bench-redis calls PORT LINES FIRST
///
/// It says `ready` when its lines run, counts from the line `measure` to the line `stop`, and then
/// says what.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <steptree/asynctool.hpp>
#include <steptree/loop.hpp>
#include <steptree/run.hpp>
#include <steptree/server.hpp>
#include <string>
#include <vector>

#include "tally.hpp"

using namespace steptree;

namespace {

constexpr std::int64_t kConcurrency = 32;  // as bench/js/redis/subject.ts

struct Call {
    std::int64_t chain = 0;
    std::int64_t number = 0;
};

Call callIn(const std::string& args) {
    Call made;
    char* after = nullptr;
    made.chain = std::strtoll(args.c_str() + 1, &after, 10);
    made.number = std::strtoll(after + 1, nullptr, 10);
    return made;
}

/// Whichever process has room serves it.
auto serves(bench::Tally& tally) {
    return step([&tally](IAsyncSteps& asi, const std::string& args, const ServedCall&) {
        if (tally.isOver()) {
            asi.waitExternal();  // nobody counts any more
        } else {
            const Call call = callIn(args);
            tally.job(call.chain, call.number);
            asi.success(std::to_string(call.number + 1));
        }
    });
}

/// Calls one after the other, endlessly.
auto calls(bench::Tally& tally, RedisService& service, std::int64_t chain) {
    return step([&tally, &service, chain](IAsyncSteps& line) {
        auto& last = line.stack<std::int64_t>(-1);
        line.loop([&tally, &service, &last, chain](IAsyncSteps& asi) {
            if (tally.isOver()) asi.breakLoop();
            const auto began = bench::Tally::Clock::now();
            const std::string args =
                "[" + std::to_string(chain) + "," + std::to_string(++last) + "]";
            asi.add(call(service, "next", args))
                .add([&tally, &last, began](IAsyncSteps& heard, const std::string& next) {
                    if (next != std::to_string(last + 1)) heard.error("Wrong", next);
                    tally.add(began);
                });
        });
    });
}

void runAll(std::uint16_t port, std::int64_t lines, std::int64_t first) {
    bench::Tally tally;
    AsyncTool tool;
    RedisConnection shop({.prefix = "bench", .port = port});
    RedisService service(shop, "chains");
    const Server server(tool, service, {{"next", serves(tally)}},
                        {.concurrency = std::min(lines, kConcurrency),
                         .report = [&tally](const StepError& error) { tally.fail(error.what()); }});
    const auto failed = [&tally](IAsyncSteps& asi, const std::string& code) {
        tally.fail(code + ": " + asi.state().lastError()->info());
    };
    std::vector<Future<void>> running;
    for (std::int64_t line = first; line < first + lines; ++line) {
        running.push_back(run(tool, calls(tally, service, line).onError(failed)));
    }
    std::cout << "ready" << std::endl;
    for (std::string word; std::getline(std::cin, word) && word != "stop";) tally.start();
    std::cout << tally.stop() << std::endl;
    std::_Exit(0);  // what still runs is of no use to anybody
}

}  // namespace

int main(int count, char** words) {
    try {
        if (count == 5) {
            runAll(static_cast<std::uint16_t>(std::stoi(words[2])), std::stoll(words[3]),
                   std::stoll(words[4]));
        }
        std::cout << BENCHED_VERSION << std::endl;
        return 0;
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << std::endl;
        std::_Exit(1);
    }
}
