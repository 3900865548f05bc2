// A process that serves books, or asks for them. Others, in Node, do so, too.
//
//     calls-peer PORT SERVICE LEASE                        serves, till SIGTERM drains it
//     calls-peer PORT SERVICE LEASE METHOD ARGS [TIMEOUT]  calls a method, and says how that ended
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "steptree/asynctool.hpp"
#include "steptree/delay.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/redisservice.hpp"
#include "steptree/run.hpp"
#include "steptree/server.hpp"

using namespace steptree;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

/// A line at once, of whichever thread.
void say(const std::string& line) {
    static std::mutex mutex;
    const std::lock_guard locked(mutex);
    std::cout << line << std::endl;
}

/// ["978", 2]: what two of them cost.
void quote(IAsyncSteps& asi, const std::string& args, const ServedCall& served) {
    const Json of = Json::parse(args);
    const std::string isbn = of.at(0);
    asi.add(step([isbn](IAsyncSteps& asking) {
                if (isbn != "978") asking.error("NotFound", "no book " + isbn);
            }).named("ask"));
    asi.add([of, trace = served.traceparent()](IAsyncSteps&) {
        return Json{{"isbn", of.at(0)}, {"total", 7 * of.at(1).get<int>()}, {"trace", trace}}
            .dump();
    });
}

/// [2000]: takes so many milliseconds; gives how many there were till the caller's deadline.
void work(IAsyncSteps& asi, const std::string& args, const ServedCall&) {
    const std::int64_t left = asi.remaining();
    const bool isLimited = left != std::numeric_limits<std::int64_t>::max();
    say("begins " + std::to_string(isLimited ? left : -1));
    asi.setCancel([](IAsyncSteps&) { say("left"); });
    asi.add(delay(Json::parse(args).at(0).get<double>()));
    asi.add([](IAsyncSteps&) {
        say("ends");
        return std::string("\"done\"");
    });
}

bool accepts(const std::string& args, const std::string& method) {
    const Json of = Json::parse(args);
    if (method == "work") return of.size() == 1 && of[0].is_number();
    return of.size() == 2 && of[0].is_string() && of[1].is_number_integer();
}

int serves(RedisService& books, const sigset_t& signals) {
    AsyncTool tool;
    Server server(tool, books, {{"quote", step(&quote).named("quote")}, {"work", step(&work)}},
                  {.concurrency = 4, .accepts = &accepts});
    say("ready");
    int signal = 0;
    sigwait(&signals, &signal);
    say("cancelled " + std::to_string(server.drain(100ms).get()));
    return 0;
}

int calls(RedisService& books, const std::string& method, const std::string& args, double ms) {
    AsyncTool tool;
    const auto page = step([&](IAsyncSteps& asi) -> Values<std::string> {
                          asi.add(call(books, method, args));
                          return {};
                      }).named("page");
    say("calls");
    try {
        say("reply " + run(tool, page.timeout(ms)).get());
    } catch (const StepError& error) {
        say("error " + error.path() + ": " + error.what());
    }
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count < 4) {
        std::cerr << "usage: calls-peer PORT SERVICE LEASE [METHOD ARGS [TIMEOUT]]\n";
        return 2;
    }
    sigset_t signals;  // blocked before there are threads, so that none of them gets it
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    const bool isServer = count < 6;
    if (isServer) pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    const auto port = static_cast<std::uint16_t>(std::atoi(words[1]));
    RedisConnection shop({.prefix = "shop", .port = port});
    RedisService books(shop, words[2], {.lease = std::chrono::milliseconds(std::atoi(words[3]))});
    if (isServer) return serves(books, signals);
    return calls(books, words[4], words[5], count > 6 ? std::atof(words[6]) : 60'000);
}
