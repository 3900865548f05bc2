// A worker of the queue `letters`: a letter is sent after a while, or isn't. Workers in Node
// (js/examples/jobs) work on the same queue, and all together use a post office with three
// counters, which serves 50 letters a second.
//
//     jobs-worker PORT [LEASE]     of Redis; in milliseconds. SIGTERM drains it
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "steptree/asynctool.hpp"
#include "steptree/delay.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/jobqueue.hpp"
#include "steptree/redislimiter.hpp"
#include "steptree/sync.hpp"
#include "steptree/worker.hpp"

using namespace steptree;
using namespace std::chrono_literals;

namespace {

/// A line at once, of whichever thread, with the time in microseconds of a clock that all processes
/// of the machine share.
void say(const std::string& line) {
    static std::mutex mutex;
    const std::lock_guard locked(mutex);
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    std::cout << now / 1us << " " << line << std::endl;
}

/// {"to": "ann", "ms": 20, "fails": 1}: the first attempt fails, the next one needs 20 ms.
void send(IAsyncSteps& asi, const std::string& text, const Job& job) {
    const auto letter = nlohmann::json::parse(text);
    const std::string to = letter.value("to", "");
    if (job.attempt() <= letter.value("fails", 0)) asi.error("NoHost", "for " + to);
    const std::string before = job.causes().empty() ? "" : " after " + job.causes().back().info;
    say("begins " + to + before);
    asi.setCancel([to](IAsyncSteps&) { say("left " + to); });
    asi.add(delay(std::chrono::milliseconds(letter.value("ms", 0))));
    asi.add([to](IAsyncSteps&) { say("ends " + to); });
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) {
        std::cerr << "usage: jobs-worker PORT [LEASE]\n";
        return 2;
    }
    sigset_t signals;  // blocked before there are threads, so that none of them gets it
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    const auto port = static_cast<std::uint16_t>(std::atoi(words[1]));
    const std::chrono::milliseconds lease(count > 2 ? std::atoi(words[2]) : 30'000);
    RedisConnection shop({.prefix = "shop", .port = port});
    JobQueue letters(shop, "letters");
    RedisLimiter office(shop, "office", {.concurrent = 3, .rate = 50, .lease = lease});
    AsyncTool tool;
    Worker worker(tool, letters, sync(office, step(&send).named("send")),
                  {.concurrency = 4, .retry = {.max = 2, .backoff = {.base = 10}}, .lease = lease});
    say("ready");
    int signal = 0;
    sigwait(&signals, &signal);
    say("put back " + std::to_string(worker.drain(100ms).get()));
}
