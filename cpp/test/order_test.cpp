#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/promise.hpp"
#include "steptree/virtualtool.hpp"

using steptree::AsyncSteps;
using steptree::IAsyncSteps;
using steptree::VirtualTool;
using Choices = std::vector<std::uint32_t>;

namespace {

/// Two flows of two turns each.
std::string traceOf(VirtualTool& tool) {
    std::string trace;
    AsyncSteps one(tool);
    AsyncSteps two(tool);
    one.add([&](IAsyncSteps&) { trace += 'a'; });
    one.relinquish();
    one.add([&](IAsyncSteps&) { trace += 'A'; });
    two.add([&](IAsyncSteps&) { trace += 'b'; });
    two.relinquish();
    two.add([&](IAsyncSteps&) { trace += 'B'; });
    one.execute();
    two.execute();
    tool.run();
    return trace;
}

/// The next list, as from an odometer; empty: there is none.
Choices nextOrder(Choices order, const Choices& alternatives) {
    order.resize(alternatives.size());
    while (!order.empty() && order.back() + 1 == alternatives[order.size() - 1]) order.pop_back();
    if (!order.empty()) ++order.back();
    return order;
}

}  // namespace

TEST_CASE("lists find every order", "[tool]") {
    std::vector<std::string> traces;
    Choices order;
    do {
        VirtualTool tool({.order = order});
        traces.push_back(traceOf(tool));
        order = nextOrder(order, tool.alternatives());
    } while (!order.empty());
    CHECK(traces == std::vector<std::string>{"abAB", "abBA", "aAbB", "baBA", "baAB", "bBaA"});
}

TEST_CASE("alternatives are told of a list only", "[tool]") {
    VirtualTool listed({.order = Choices{1}});
    CHECK(listed.alternatives().empty());
    CHECK(traceOf(listed) == "baBA");
    CHECK(listed.alternatives() == Choices{2, 2, 2});
    for (const std::uint32_t seed : {0U, 5U}) {
        VirtualTool tool({.order = seed});
        traceOf(tool);
        CHECK(tool.alternatives().empty());
    }
}

TEST_CASE("a seed gives one order, and seeds give all", "[tool]") {
    std::set<std::string> traces;
    for (std::uint32_t seed = 1; seed <= 50; ++seed) {
        VirtualTool first({.order = seed});
        VirtualTool second({.order = seed});
        const std::string trace = traceOf(first);
        CHECK(traceOf(second) == trace);
        traces.insert(trace);
    }
    CHECK(traces.size() == 6);
}

TEST_CASE("advance calls all timers that are due where an order chooses", "[tool]") {
    VirtualTool tool({.order = 3});
    std::vector<int> fired;
    AsyncSteps flow(tool);
    flow.loop([](IAsyncSteps&) {});
    flow.execute();
    for (const int ms : {1, 2, 2, 3}) tool.deferred(ms, [&fired, ms] { fired.push_back(ms); });
    CHECK(tool.armedTimers() == 4);
    tool.advance(2);
    CHECK(tool.now() == 2);
    CHECK(fired == std::vector<int>{1, 2, 2});
    CHECK(tool.armedTimers() == 1);
    flow.cancel();
}

TEST_CASE("a callback may destroy a tool whose order chooses", "[tool]") {
    for (const bool timer : {false, true}) {
        auto tool = std::make_unique<VirtualTool>(VirtualTool::Options{.order = 1});
        int calls = 0;
        const auto destroy = [&] {
            ++calls;
            tool.reset();
        };
        if (timer) {
            tool->deferred(1, destroy);
            tool->deferred(1, destroy);
        } else {
            tool->immediate(destroy);
            tool->immediate(destroy);
        }
        tool->run();
        CHECK(calls == 1);
    }
}

TEST_CASE("a timer's callback can't run the tool whose order chooses", "[tool]") {
    VirtualTool tool({.order = Choices{}});
    std::string code;
    tool.deferred(1, [&] { code = rig::codeOf([&] { tool.run(); }); });
    tool.run();
    CHECK(code == "InternalError");
}

TEST_CASE("what other threads have ended is among what an order chooses from", "[tool][thread]") {
    VirtualTool tool({.order = Choices{}});
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<steptree::Completion> waits;
    for (int i = 0; i < 3; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        flows.back()->add([&](IAsyncSteps& asi) { waits.push_back(asi.waitExternal()); });
        flows.back()->execute();
    }
    tool.run();
    CHECK(tool.alternatives() == Choices{3, 2});
    std::thread([&] {
        for (const steptree::Completion& wait : waits) wait.success();
    }).join();
    tool.run();
    CHECK(tool.alternatives() == Choices{3, 2, 3, 2});
}

TEST_CASE("what another thread asks for can't run the tool whose order chooses", "[tool][thread]") {
    VirtualTool tool({.order = Choices{}});
    std::string code;
    auto flow = std::make_unique<AsyncSteps>(tool);
    flow->add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { code = rig::codeOf([&] { tool.run(); }); });
        asi.waitExternal();
    });
    flow->execute();
    tool.run();
    std::thread other([&] { flow.reset(); });
    while (!tool.core().ready()) std::this_thread::yield();
    tool.run();
    other.join();
    CHECK(code == "InternalError");
}

TEST_CASE("what a timer settles or arms comes before the next timer is due", "[tool]") {
    VirtualTool tool({.order = Choices{0}});
    steptree::Promise<> promise;
    AsyncSteps flow(tool);
    std::vector<std::int64_t> times;
    const auto note = [&] { times.push_back(tool.now()); };
    flow.await(promise.future()).add([&](IAsyncSteps&) { note(); });
    flow.execute();
    std::vector<steptree::Handle> handles;
    handles.push_back(tool.deferred(5, [&] {
        promise.success();
        handles.push_back(tool.deferred(1, note));
    }));
    handles.push_back(tool.deferred(10, note));
    tool.run();
    CHECK(times == std::vector<std::int64_t>{5, 6, 10});
}
