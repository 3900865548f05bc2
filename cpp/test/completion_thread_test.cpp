#include <atomic>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "standing.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Awaiter;
using steptree::Completion;
using steptree::IAsyncSteps;
using steptree::Outcome;
using steptree::OutcomeKind;
using steptree::StepError;
using steptree::VirtualTool;

TEST_CASE("the first thread to complete a step wins", "[completion][thread]") {
    constexpr int kThreads = 8;
    constexpr int kRounds = 300;
    AsyncTool tool;
    std::vector<std::promise<Completion>> waiting(kRounds);
    std::vector<int> results;
    AsyncSteps flow(tool);
    flow.repeat(kRounds, [&](IAsyncSteps& asi, std::int64_t round) {
        asi.add([&, round](IAsyncSteps& asi) { waiting[round].set_value(asi.waitExternal()); });
        asi.add([&](IAsyncSteps&, int winner) { results.push_back(winner); });
    });
    const steptree::Future<> end = flow.promise();

    std::vector<std::shared_future<Completion>> completions;
    for (auto& step : waiting) completions.push_back(step.get_future().share());
    std::vector<std::atomic<int>> winners(kRounds);
    std::vector<std::atomic<int>> winner(kRounds);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < kRounds; ++round) {
                Completion done = completions[round].get();
                if (done.success(t)) {
                    ++winners[round];
                    winner[round] = t;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    end.get();
    REQUIRE(results.size() == kRounds);
    for (int round = 0; round < kRounds; ++round) {
        REQUIRE(winners[round] == 1);
        REQUIRE(results[round] == winner[round]);
    }
}

TEST_CASE("completing from another thread does not wait for the tool", "[completion][thread]") {
    AsyncTool tool;
    std::promise<Completion> waiting;
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) { waiting.set_value(asi.waitExternal()); });
    const steptree::Future<int> end = flow.promise<int>();
    Completion done = waiting.get_future().get();
    rig::Standing standing(tool);
    CHECK(done.valid());
    CHECK(done.success(5));
    CHECK_FALSE(done.valid());
    CHECK_FALSE(done.success(6));
    CHECK_FALSE(end.settled());
    standing.goOn();
    CHECK(end.get() == 5);
}

TEST_CASE("a completion may outlive its step, flow and tool", "[completion][thread]") {
    const auto isStale = [](Completion done) {
        bool taken = true;
        std::thread([&] { taken = done.valid() || done.success(1) || done.error("Late"); }).join();
        return !taken && !done.valid() && !done.success(1) && !done.error("Late");
    };
    std::optional<VirtualTool> tool(std::in_place);
    std::optional<AsyncSteps> flow(std::in_place, *tool);
    Completion ofStep, ofFlow;
    CHECK_FALSE(ofStep.valid());
    flow->add([&](IAsyncSteps& asi) {
        ofStep = asi.waitExternal();
        asi.success();
    });
    flow->add([&](IAsyncSteps& asi) { ofFlow = asi.waitExternal(); });
    flow->execute();
    tool->run();
    CHECK(isStale(ofStep));
    CHECK(ofFlow.valid());
    flow.reset();
    CHECK(isStale(ofFlow));

    Completion ofTool;
    flow.emplace(*tool);
    flow->add([&](IAsyncSteps& asi) { ofTool = asi.waitExternal(); });
    flow->execute();
    tool->run();
    CHECK(ofTool.valid());
    tool.reset();
    CHECK(isStale(ofTool));
    flow.reset();
    CHECK(isStale(ofTool));
}

TEST_CASE("completions from other threads meet flows that are being cancelled",
          "[completion][thread]") {
    constexpr int kFlows = 400;
    std::atomic<int> taken = 0;
    std::atomic<int> ended = 0;
    std::atomic<int> ok = 0;
    {
        AsyncTool tool;
        std::vector<std::promise<Completion>> waiting(kFlows);
        std::vector<std::future<Completion>> completions;
        for (auto& w : waiting) completions.push_back(w.get_future());
        std::vector<std::unique_ptr<AsyncSteps>> flows;
        std::promise<void> all;
        for (int i = 0; i < kFlows; ++i) {
            flows.push_back(std::make_unique<AsyncSteps>(tool));
            flows[i]->add([&, i](IAsyncSteps& asi) {
                if (i % 3 == 0) asi.setTimeout(1);
                waiting[i].set_value(asi.waitExternal());
            });
            flows[i]->execute([&](steptree::Outcome& outcome) {
                if (outcome.kind == steptree::OutcomeKind::ok) ++ok;
                if (++ended == kFlows) all.set_value();
            });
        }
        std::vector<steptree::Canceller> cancellers;
        for (auto& flow : flows) cancellers.push_back(flow->canceller());
        std::thread completing([&] {
            for (auto& completion : completions) {
                if (completion.get().success(std::string(100, 'x'))) ++taken;
            }
        });
        std::thread cancelling([&] {
            for (auto& canceller : cancellers) canceller("enough");
        });
        completing.join();
        cancelling.join();
        all.get_future().wait();
        CHECK(ok <= taken);
    }
    CHECK(ended == kFlows);
}

TEST_CASE("a canceller cancels a flow from another thread", "[cancel][thread]") {
    AsyncTool tool;
    std::promise<void> waiting;
    std::thread::id handlerThread;
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { handlerThread = std::this_thread::get_id(); });
        waiting.set_value();
    });
    const steptree::Future<> end = flow.promise();
    waiting.get_future().wait();
    const steptree::Canceller canceller = flow.canceller();

    rig::Standing standing(tool);
    std::thread([copy = canceller] { copy.cancel("from outside"); }).join();
    CHECK_FALSE(end.settled());
    standing.goOn();
    end.wait();
    CHECK(handlerThread == standing.thread());
    CHECK_THROWS_AS(end.get(), steptree::StepError);
    try {
        end.get();
    } catch (const steptree::StepError& e) {
        CHECK(e.code() == steptree::errors::Canceled);
        CHECK(e.info() == "from outside");
    }
}

TEST_CASE("a canceller does nothing once its flow is gone", "[cancel][thread]") {
    std::optional<VirtualTool> tool(std::in_place);
    std::optional<AsyncSteps> flow(std::in_place, *tool);
    std::optional<AsyncSteps> other(std::in_place, *tool);
    const steptree::Canceller canceller = flow->canceller();
    flow.reset();
    bool ran = false;
    other->add([&](IAsyncSteps&) { ran = true; });
    other->execute();
    canceller.cancel();
    std::thread([&] { canceller.cancel(); }).join();
    tool->run();
    CHECK(ran);
    other.reset();
    tool.reset();
    canceller.cancel();
    std::thread([&] { canceller.cancel(); }).join();
}

TEST_CASE("a step that a thread has completed doesn't time out, although the tool hasn't heard",
          "[completion][thread]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    Completion completion;
    bool won = false;
    std::string end;
    const auto completes =
        tool.deferred(5, [&] { std::thread([&] { won = completion.success(); }).join(); });
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(5);
        completion = asi.waitExternal();
    });
    flow.execute(
        [&end](Outcome& outcome) { end = outcome.kind == OutcomeKind::ok ? "ok" : outcome.code; });
    tool.run();
    CHECK(won);
    CHECK(end == "ok");
}

TEST_CASE("a thread that finds no memory for what it brings fails the step",
          "[completion][thread]") {
    struct Kept {
        std::optional<Awaiter>* awaiter;
        void subscribe(Awaiter made) { awaiter->emplace(std::move(made)); }
        void cancel() {}
    };
    for (const bool isAwaited : {false, true}) {
        VirtualTool tool;
        AsyncSteps flow(tool);
        Completion completion;
        std::optional<Awaiter> awaiter;
        std::string end;
        flow.add([&](IAsyncSteps& asi) {
            if (isAwaited) return static_cast<void>(asi.await(Kept{&awaiter}));
            completion = asi.waitExternal();
        });
        flow.execute([&end](Outcome& outcome) {
            try {
                std::rethrow_exception(outcome.error);
            } catch (const StepError& error) {
                end = error.code() + ": " + error.info();
            }
        });
        tool.run();
        std::thread([&] {
            const std::string info(100, 'x');
            const allocations::Failing failing(0, SIZE_MAX);
            if (isAwaited) {
                awaiter->success(7);
            } else {
                CHECK(completion.error("Code", info));
            }
        }).join();
        tool.run();
        CHECK(end == "InternalError: out of memory");
    }
}
