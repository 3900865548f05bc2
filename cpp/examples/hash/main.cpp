// hash FILE [MS]: prints what sha256sum prints; with a deadline of MS milliseconds.
//
// One loop does it all, and the hashing isn't done there: a tick every 5 ms shows that the loop
// goes on meanwhile. The deadline stops the thread that hashes, too.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <steptree/asyncsteps.hpp>
#include <steptree/asynctool.hpp>
#include <steptree/delay.hpp>
#include <steptree/parallel.hpp>
#include <steptree/threadpool.hpp>
#include <string>

#include "sha256.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::IAsyncSteps;
using steptree::ThreadPool;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

namespace {

struct Ticks {
    int count = 0;
    Milliseconds latest{0};
};

/// Never ends by itself.
void tick(IAsyncSteps& asi, Ticks& ticks) {
    asi.loop([&](IAsyncSteps& round) {
        const auto due = Clock::now() + std::chrono::milliseconds(5);
        round.add(steptree::delay(5));
        round.add([&ticks, due](IAsyncSteps&) {
            ++ticks.count;
            ticks.latest = std::max(ticks.latest, Milliseconds(Clock::now() - due));
        });
    });
}

struct Job {
    std::string path;
    double limit = std::numeric_limits<double>::infinity();  // ms
    std::atomic<std::uint64_t> done{0};
    Ticks ticks;

    /// The first branch that ends ends the others.
    void addTo(AsyncSteps& flow, ThreadPool& pool) {
        flow.add([this, &pool](IAsyncSteps& asi) {
            asi.setTimeout(limit);
            const auto show = [this](IAsyncSteps& branch) { tick(branch, ticks); };
            asi.add(steptree::race(show, [this, &pool](IAsyncSteps&) {
                return pool.run(
                    [this](const std::stop_token& stop) { return sha256(stop, path, done); });
            }));
        });
    }
};

int hash(Job& job) {
    AsyncTool tool;
    ThreadPool pool(1);
    AsyncSteps flow(tool);
    job.addTo(flow, pool);
    const auto begin = Clock::now();
    int result = 0;
    try {
        std::printf("%s  %s\n", flow.promise<std::string>().get().c_str(), job.path.c_str());
    } catch (const steptree::StepError& error) {
        std::fprintf(stderr, "%s %s\n", error.code().c_str(), error.info().c_str());
        result = 1;
    }
    const Milliseconds took = Clock::now() - begin;
    pool.shutdown(ThreadPool::Shutdown::drop);  // the thread has seen its token when this returns
    std::fprintf(stderr, "%.1f ms, %llu bytes; the loop: %d ticks, the latest %.1f ms late\n",
                 took.count(), static_cast<unsigned long long>(job.done), job.ticks.count,
                 job.ticks.latest.count());
    return result;
}

}  // namespace

int main(int argc, char* argv[]) {
    Job job;
    if (argc == 3) job.limit = std::atof(argv[2]);
    if (argc < 2 || argc > 3 || !(job.limit > 0)) {
        std::fprintf(stderr, "usage: %s FILE [MS]\n", argv[0]);
        return 2;
    }
    job.path = argv[1];
    return hash(job);
}
