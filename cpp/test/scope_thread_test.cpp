#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/delay.hpp"
#include "steptree/run.hpp"
#include "steptree/scope.hpp"
#include "steptree/virtualtool.hpp"

using namespace steptree;
using namespace std::chrono_literals;

namespace {

/// Counts those that wait, and those whose cancel handlers were called, on which thread.
struct Counted {
    std::atomic<int> begun{0};
    std::atomic<int> cancelled{0};
    std::atomic<int> elsewhere{0};

    auto value(std::latch* ready = nullptr) {
        return step([this, ready](IAsyncSteps& asi) {
            ++begun;
            asi.setCancel([this](IAsyncSteps&) { ++cancelled; });
            if (ready != nullptr) ready->count_down();
        });
    }
};

}  // namespace

TEST_CASE("a tool with a thread cancels what it owns, on whatever thread it goes",
          "[owners][thread]") {
    for (const bool isOwn : {false, true}) {
        Counted counted;
        std::latch ready(3);
        std::latch gone(1);
        const auto held = std::make_shared<int>();
        auto tool = std::make_unique<AsyncTool>();
        Scope scope(*tool);
        tool->start(counted.value(&ready), {.done = [held](Outcome&) {}});
        scope.start(counted.value(&ready));
        const Future<void> result = run(*tool, counted.value(&ready));
        ready.wait();
        if (isOwn) {
            tool->immediate([&] {
                tool.reset();
                gone.count_down();
            });
            gone.wait();
        } else {
            tool.reset();
        }
        CHECK(counted.cancelled == 3);
        CHECK(held.use_count() == 1);
        CHECK(rig::codeOf([&] { result.get(); }) == "Canceled");
    }
}

TEST_CASE("flows are started, scopes drained and closed on any thread", "[owners][thread]") {
    AsyncTool tool;
    Counted counted;
    std::atomic<int> done{0};
    std::atomic<int> refused{0};
    {
        Scope scope(tool);
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                for (int j = 0; j < 200; ++j) {
                    try {
                        const auto value = j % 3 == 0
                                               ? counted.value()
                                               : step<Values<>, Values<>>([](IAsyncSteps&) {});
                        scope.start(value, {.done = [&](Outcome&) { ++done; }});
                        tool.start(step([](IAsyncSteps&) {}), {.done = [&](Outcome&) { ++done; }});
                    } catch (const StepError&) {
                        ++refused;
                    }
                    if (i == 0 && j == 150) scope.drain(5ms);
                    if (i == 1 && j == 190) scope.close("enough");
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        scope.close().get();
        CHECK(counted.begun == counted.cancelled);
    }
    std::latch idle(1);
    tool.immediate([&] { tool.immediate([&] { idle.count_down(); }); });
    idle.wait();
    CHECK(done == 2 * (800 - refused));
}

TEST_CASE("a scope that goes on another thread waits till its flows are gone", "[owners][thread]") {
    AsyncTool tool;
    for (int i = 0; i < 100; ++i) {
        Counted counted;
        std::latch ready(2);
        auto value = std::make_unique<int>(i);
        {
            Scope scope(tool);
            scope.start(counted.value(&ready));
            scope.start(counted.value(&ready));
            if (i % 2 == 0) ready.wait();
        }
        CHECK(counted.cancelled == counted.begun);
    }
}

TEST_CASE("a tool that nobody drives drops what another thread has started", "[owners][thread]") {
    const auto held = std::make_shared<int>();
    {
        VirtualTool tool;
        std::thread([&] {
            tool.start(step([held](IAsyncSteps&) {}), {.done = [held](Outcome&) {}});
        }).join();
        CHECK(held.use_count() > 1);
    }
    CHECK(held.use_count() == 1);
}
