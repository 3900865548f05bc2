#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "standing.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/map.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Completion;
using steptree::IAsyncSteps;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kFlows = 100;
#else
constexpr std::size_t kFlows = 1000;
#endif
constexpr std::size_t kItems = 1000;  // of each flow
constexpr std::size_t kSteps = kFlows * kItems;
constexpr std::size_t kThreads = 8;

/// A step that waits, and what has become of it.
struct Waiting {
    Completion done;
    std::atomic<std::uint8_t> winners = 0;
    std::atomic<std::uint8_t> winner = 0;
    std::uint8_t undone = 0;   // its cancel handler was called
    std::uint8_t results = 0;  // it has gone on
    int result = -1;
};

/// All of them at once, on one tool.
class Waits {
  public:
    Waits() {
        std::atomic<std::size_t> open = 0;
        for (std::size_t f = 0; f < kFlows; ++f) {
            flows_.push_back(std::make_unique<AsyncSteps>(tool));
            cancellers.push_back(flows_.back()->canceller());
            fill(*flows_.back(), steps.data() + f * kItems, open);
            ends_.push_back(flows_.back()->promise());
        }
        while (open < kSteps) std::this_thread::yield();
    }

    void wait() const {
        for (const auto& end : ends_) end.wait();
    }
    AsyncSteps& flow(std::size_t f) { return *flows_[f]; }
    static bool isCancelled(std::size_t f) { return f % 2 != 0; }

    std::size_t armedTimers() {
        std::promise<std::size_t> armed;
        tool.immediate([&] { armed.set_value(tool.armedTimers()); });
        return armed.get_future().get();
    }

    AsyncTool tool;
    std::vector<steptree::Canceller> cancellers;
    std::vector<Waiting> steps{kSteps};

  private:
    static void fill(AsyncSteps& flow, Waiting* steps, std::atomic<std::size_t>& open) {
        std::vector<Waiting*> items;
        for (std::size_t i = 0; i < kItems; ++i) items.push_back(steps + i);
        const auto sink = [steps](int winner, std::size_t i) {
            ++steps[i].results;
            steps[i].result = winner;
        };
        const auto body = [&open](IAsyncSteps& asi, Waiting* step, std::size_t i) {
            if (i % 8 == 0) asi.setTimeout(3'600'000);
            asi.setCancel([step](IAsyncSteps&) { ++step->undone; });
            step->done = asi.waitExternal();
            ++open;
        };
        flow.add(steptree::map<int>(std::move(items), {.limit = kItems}, body, sink));
    }

    std::vector<std::unique_ptr<AsyncSteps>> flows_;
    std::vector<steptree::Future<>> ends_;
};

/// Calls all completions on each of the threads, two of which keep close. How many have won.
std::size_t completeAll(std::vector<Waiting>& steps) {
    std::atomic<std::size_t> won = 0;
    std::atomic<std::size_t> called = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            std::size_t mine = 0;
            for (std::size_t n = 0; n < kSteps; ++n, ++called) {
                Waiting& step = steps[(n + t / 2 * (kSteps / 4)) % kSteps];
                if (!step.done.success(static_cast<int>(t))) continue;
                ++mine;
                ++step.winners;
                step.winner = static_cast<std::uint8_t>(t);
            }
            won += mine;
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(called == kThreads * kSteps);
    return won;
}

/// Half of the flows: of those each second one by its canceller, the others on the tool's thread.
class Cancelling {
  public:
    explicit Cancelling(Waits& waits) {
        for (std::size_t f = 0; f < kFlows; ++f) {
            if (f % 4 == 3) waits.tool.immediate([&flow = waits.flow(f)] { flow.cancel(); });
        }
        thread_ = std::thread([&all = waits.cancellers] {
            for (std::size_t f = 1; f < kFlows; f += 4) all[f].cancel();
        });
    }
    Cancelling(const Cancelling&) = delete;
    Cancelling& operator=(const Cancelling&) = delete;
    ~Cancelling() { thread_.join(); }

  private:
    std::thread thread_;
};

/// Of each step exactly one thread has won, or its cancel handler was called.
void check(Waits& waits, std::size_t won) {
    std::size_t winners = 0, undone = 0, wrong = 0;
    for (std::size_t i = 0; i < kSteps; ++i) {
        const Waiting& step = waits.steps[i];
        const bool cancelled = Waits::isCancelled(i / kItems);
        winners += step.winners;
        undone += step.undone;
        if (step.winners + step.undone != 1 || (step.undone != 0 && !cancelled)) ++wrong;
        if (step.results > step.winners || (step.results == 0 && !cancelled)) ++wrong;
        if (step.results != 0 && step.result != step.winner) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(winners == won);
    CHECK(winners + undone == kSteps);
    CHECK(waits.armedTimers() == 0);
}

}  // namespace

TEST_CASE("of a million steps that eight threads complete, each is won once, or cancelled",
          "[completion][thread]") {
    Waits waits;
    std::size_t won = 0;
    {
        const Cancelling cancelling(waits);
        won = completeAll(waits.steps);
    }
    waits.wait();
    check(waits, won);
}

TEST_CASE("no thread waits for a tool that stands while it completes a million steps",
          "[completion][thread]") {
    Waits waits;
    rig::Standing standing(waits.tool);
    std::size_t won = 0;
    {
        const Cancelling cancelling(waits);
        won = completeAll(waits.steps);
    }
    CHECK(won == kSteps);
    standing.goOn();
    waits.wait();
    check(waits, won);
}
