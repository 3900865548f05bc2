#include <atomic>
#include <cstdint>
#include <future>
#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "standing.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/signal.hpp"

using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::IAsyncSteps;
using steptree::Outcome;
using steptree::OutcomeKind;
using steptree::VirtualTool;

TEST_CASE("a signal that is stopped on another thread cancels without waiting",
          "[signal][thread]") {
    AsyncTool tool;
    std::promise<void> waiting;
    std::thread::id handlerThread;
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { handlerThread = std::this_thread::get_id(); });
        waiting.set_value();
    });
    std::stop_source source;
    const steptree::Future<> end = flow.promise(source.get_token());
    waiting.get_future().wait();

    rig::Standing standing(tool);
    std::thread([&] { CHECK(source.request_stop()); }).join();
    CHECK_FALSE(end.settled());
    standing.goOn();
    end.wait();
    CHECK(handlerThread == standing.thread());
    CHECK_THROWS_AS(end.get(), steptree::StepError);
}

TEST_CASE("a flow that another thread executes with a stopped signal runs no body",
          "[signal][thread]") {
    AsyncTool tool;
    std::stop_source source;
    source.request_stop();
    bool ran = false;
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps&) { ran = true; });
    CHECK_THROWS_AS(flow.promise(source.get_token()).get(), steptree::StepError);
    CHECK_FALSE(ran);
    flow.add([&](IAsyncSteps&) { ran = true; });
    flow.promise().get();
    CHECK(ran);
}

TEST_CASE("a flow that another thread executes is cancelled if there is no memory to listen",
          "[signal][memory][thread]") {
    rig::Rig rig;
    OutcomeKind end{};
    std::string reason;
    bool ran = false;
    rig.flow.add([&](IAsyncSteps&) { ran = true; });
    std::stop_source source;
    const auto execute = [&] {
        rig.flow.execute(
            [&](Outcome& outcome) {
                end = outcome.kind;
                reason = outcome.reason;
            },
            source.get_token());
    };
    std::thread(execute).join();
    {
        const allocations::Failing fails(0, 1);
        rig.tool.run();
    }
    CHECK(end == OutcomeKind::cancelled);
    CHECK(reason == "short of memory");
    CHECK_FALSE(ran);
}

namespace {
std::stop_source* stopped = nullptr;
}

TEST_CASE("a signal that is stopped while a flow begins to listen to it ends the flow in its turn",
          "[signal][memory]") {
    VirtualTool tool;
    std::list<AsyncSteps> flows;
    int ended = 0;
    const auto wait = [](IAsyncSteps& asi) { asi.waitExternal(); };
    const auto begin = [&ended](AsyncSteps& flow, const std::stop_source& source) {
        flow.execute([&ended](Outcome&) { ++ended; }, source.get_token());
    };
    bool stops = false;
    for (int i = 0; i < 1000 && !stops; ++i) {
        AsyncSteps& flow = flows.emplace_back(tool);
        flow.add([](IAsyncSteps&) {});
        begin(flow, {});
        tool.run();
        // Who tells the end stands in a block of several: sooner or later the next one is the
        // first.
        for (int n = i % 3; n >= 0; --n)
            flows.emplace_back(tool).add(wait).execute([](Outcome&) {});
        if (i % 2 == 0) flows.emplace_back(tool).add(wait).execute();
        flow.add(wait);
        std::stop_source source;
        stopped = &source;
        allocations::spared = []() noexcept { return stopped->request_stop(); };
        {
            const allocations::Failing none(SIZE_MAX - 1, 0);
            begin(flow, source);
        }
        allocations::spared = nullptr;
        stops = source.stop_requested();
        if (!stops) continue;
        CHECK(flow.running());
        ended = 0;
        tool.run();
        CHECK_FALSE(flow.running());
        CHECK(ended == 1);
    }
    CHECK(stops);
}

TEST_CASE("signals that threads stop meet flows that start and end", "[signal][thread]") {
    constexpr int kRounds = 2000;
    AsyncTool tool;
    std::atomic<int> cancelled{0}, ended{0};
    for (int round = 0; round < kRounds; ++round) {
        std::stop_source source;
        std::promise<void> over;
        AsyncSteps flow(tool);
        flow.add([](IAsyncSteps& asi) {
            if (signal(asi).stop_possible()) asi.success();
        });
        flow.add([round](IAsyncSteps& asi) {
            if (round % 2 == 0) asi.waitExternal();
        });
        std::thread stopper([&] { source.request_stop(); });
        const auto done = [&](Outcome& outcome) {
            ++ended;
            if (outcome.kind == OutcomeKind::cancelled) ++cancelled;
            over.set_value();
        };
        if (round % 3 == 0) {
            flow.execute(done, source.get_token());
        } else {
            tool.immediate([&] { flow.execute(done, source.get_token()); });
        }
        over.get_future().wait();
        stopper.join();
    }
    CHECK(ended == kRounds);
    CHECK(cancelled >= kRounds / 2);
}

TEST_CASE("a flow that has gone hears of no signal", "[signal][thread]") {
    AsyncTool tool;
    std::stop_source source;
    for (int round = 0; round < 500; ++round) {
        auto flow = std::make_unique<AsyncSteps>(tool);
        flow->add([](IAsyncSteps& asi) { asi.waitExternal(); });
        flow->execute(source.get_token());
        if (round % 2 == 0) flow->cancel();
        flow.reset();
    }
    std::vector<std::unique_ptr<AsyncSteps>> last;
    for (int i = 0; i < 4; ++i) {
        last.push_back(std::make_unique<AsyncSteps>(tool));
        last.back()->add([](IAsyncSteps& asi) { asi.waitExternal(); });
        last.back()->execute(source.get_token());
    }
    std::thread stopper([&] { source.request_stop(); });
    last.clear();
    stopper.join();
}

TEST_CASE("a thread sees the signal of a step that has timed out", "[signal][thread]") {
    AsyncTool tool;
    std::thread worker;
    std::atomic<bool> stopped{false};
    AsyncSteps flow(tool);
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(10);
            worker = std::thread([&stopped, signal = signal(asi)] {
                while (!signal.stop_requested()) std::this_thread::yield();
                stopped = true;
            });
            asi.waitExternal();
        },
        [](IAsyncSteps& asi, const auto&) { asi.success(); });
    flow.promise().get();
    worker.join();
    CHECK(stopped);
}
