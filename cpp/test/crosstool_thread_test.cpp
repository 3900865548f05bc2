#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"

using rig::codeOf;
using steptree::AsyncSteps;
using steptree::AsyncTool;
using steptree::Canceller;
using steptree::Handle;
using steptree::IAsyncSteps;

TEST_CASE("bodies of two tools may destroy each other's flows", "[flow][thread]") {
    std::atomic<int> cancelled = 0;
    std::atomic<int> inside = 0;
    {
        AsyncTool tools[2];
        std::unique_ptr<AsyncSteps> waiting[2];
        for (int i = 0; i < 2; ++i) {
            waiting[i] = std::make_unique<AsyncSteps>(tools[i]);
            waiting[i]->add(
                [&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { ++cancelled; }); });
            waiting[i]->execute();
        }
        AsyncSteps first(tools[0]);
        AsyncSteps second(tools[1]);
        const auto destroys = [&](int which) {
            return [&, which](IAsyncSteps&) {
                ++inside;
                while (inside < 2) std::this_thread::yield();
                waiting[which].reset();
            };
        };
        const auto oneEnd = first.add(destroys(1)).promise();
        const auto otherEnd = second.add(destroys(0)).promise();
        oneEnd.get();
        otherEnd.get();
        for (AsyncTool& tool : tools) {
            AsyncSteps last(tool);
            last.promise().get();
        }
    }
    CHECK(cancelled == 2);
}

TEST_CASE("calls that would wait for another tool are refused in a callback", "[flow][thread]") {
    AsyncTool here;
    AsyncTool there;
    AsyncSteps other(there);
    other.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    const Canceller canceller = other.canceller();
    const auto end = other.promise();
    std::string codes[2];
    AsyncSteps flow(here);
    flow.add([&](IAsyncSteps&) {
        codes[0] = codeOf([&] { other.cancel(); });
        codes[1] = codeOf([&] { other.canceller(); });
        canceller.cancel();
    });
    flow.promise().get();
    CHECK(codes[0] == "InternalError");
    CHECK(codes[1] == "InternalError");
    CHECK(codeOf([&] { end.get(); }) == "Canceled");
}

TEST_CASE("flows of two tools cancel each other's, again and again", "[cancel][thread]") {
    constexpr int kRounds = 300;
    AsyncTool tools[2];
    int cancelled = 0;
    for (int round = 0; round < kRounds; ++round) {
        AsyncSteps flows[2] = {AsyncSteps(tools[0]), AsyncSteps(tools[1])};
        const Canceller cancels[2] = {flows[0].canceller(), flows[1].canceller()};
        std::atomic<int> open = 0;
        std::vector<steptree::Future<>> ends;
        for (int i = 0; i < 2; ++i) {
            flows[i].add([&, i](IAsyncSteps& asi) {
                asi.setCancel([&, i](IAsyncSteps&) { cancels[1 - i].cancel("back"); });
                ++open;
                while (open < 2) std::this_thread::yield();  // who has not begun cancels nobody
                asi.add([&, i](IAsyncSteps& inner) {
                    cancels[1 - i].cancel("forth");
                    inner.waitExternal();
                });
            });
            ends.push_back(flows[i].promise());
        }
        for (const auto& end : ends) cancelled += codeOf([&] { end.get(); }) == "Canceled" ? 1 : 0;
    }
    CHECK(cancelled == 2 * kRounds);
}
