// 1000 flows on a thread of their own wait in turn for another thread to complete them.
#include <atomic>

#include "rounds.hpp"
#include "scenario.hpp"

namespace bench {
namespace {

using Loops = Flow<Needs{.steps = 2, .loops = 1}>;

void completionThread(Run& run) {
    std::atomic<std::size_t> iterations{0};
    Rounds<Completion> waiting(kRound);
    steptree::AsyncTool tool;
    Batch<Loops> flows(kRound);
    for (std::size_t i = 0; i < kRound; ++i) {
        Loops& flow = flows.emplace(tool);
        flow.loop([&waiting, &iterations](IAsyncSteps& asi) {
            iterations.fetch_add(1, std::memory_order_relaxed);
            waiting.add(asi.waitExternal());
        });
        flow.execute();
    }
    const std::size_t rounds = (run.size + kRound - 1) / kRound;
    waiting.await();
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) {
        waiting.complete([](const Completion& completion) { completion.success(); });
    }
    waiting.await();
    run.stop();
    run.performed(rounds * kRound);
    run.expect("iterations", iterations.load(), (rounds + 1) * kRound);
}

const Scenario scenario{"completion_thread", completionThread, {.small = 10'000}};

}  // namespace
}  // namespace bench
