#include "steptree/stallwatch.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include "allocations.hpp"
#include "catch.hpp"
#include "fakeclock.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/detail/toolcore.hpp"
#include "told.hpp"

using namespace told;
using namespace std::chrono_literals;

namespace {

/// Flows have another number each time.
std::string withoutNumber(const std::string& info) {
    return std::regex_replace(info, std::regex("flow [0-9]+"), "flow 7");
}

std::string firstLine(const std::string& info) {
    return info.substr(0, info.find('\n'));
}

/// What `report` hears.
struct Reports {
    Lines codes;
    Lines paths;
    Lines infos;

    Options options(std::string name = {}) {
        Options made{.name = std::move(name)};
        made.report = [this](const std::string& code, const std::string& info, auto&&,
                             const std::string& path) {
            codes.push_back(code);
            paths.push_back(path);
            infos.push_back(withoutNumber(info));
        };
        return made;
    }
    Lines firstLines() const {
        Lines lines;
        for (const std::string& info : infos) lines.push_back(firstLine(info));
        return lines;
    }
};

void hang(IAsyncSteps& asi) {
    asi.waitExternal();
}

/// A tool whose time is set by hand.
struct ByHand {
    FakeClock clock;
    AsyncTool tool{AsyncTool::Driven{.clock = &clock}};

    void run() {
        while (tool.iterate().delay == 0) continue;
    }
    auto works(double ms) {
        return [this, ms](IAsyncSteps&) { clock.passMs(ms); };
    }
};

}  // namespace

TEST_CASE("a body is reported that destroys a flow whose cleanup runs meanwhile", "[stallwatch]") {
    ByHand hand;
    Reports told;
    const StallWatch stalls(hand.tool, {.body = 50});
    auto other = std::make_unique<AsyncSteps>(hand.tool);
    other->add([](IAsyncSteps& asi) {
        asi.defer([](IAsyncSteps&) {});
        asi.waitExternal();
    });
    other->execute();
    AsyncSteps flow(hand.tool, told.options());
    flow.add([&](IAsyncSteps&) {
        other.reset();
        hand.clock.passMs(70);
    });
    flow.execute();
    hand.run();
    CHECK(told.firstLines() == Lines{"0 held the loop for 70 ms"});
}

TEST_CASE("times of a stall watch may be as long as they like", "[stallwatch]") {
    ByHand hand;
    Reports told;
    const StallWatch stalls(hand.tool,
                            {.body = std::chrono::hours::max(), .wait = std::chrono::hours::max()});
    AsyncSteps flow(hand.tool, told.options());
    flow.add([&](IAsyncSteps& asi) {
        hand.clock.passMs(70);
        asi.waitExternal();
    });
    flow.execute();
    hand.run();
    CHECK(told.codes.empty());
}

TEST_CASE("a body that holds the loop is reported once, with path, time and tree", "[stallwatch]") {
    ByHand hand;
    Reports told;
    StallWatch stalls(hand.tool, {.body = 50});
    AsyncSteps flow(hand.tool, told.options("order"));
    const auto slow = step([&](IAsyncSteps& asi) {
                          hand.clock.passMs(63);
                          asi.waitExternal();
                      }).named("slow");
    flow.add(steps(hand.works(50), slow).named("page"));
    flow.execute();
    hand.run();
    CHECK(told.codes == Lines{"Stalled"});
    CHECK(told.paths == Lines{"page/slow"});
    CHECK(told.infos == Lines{"page/slow held the loop for 63 ms\n"
                              "flow 7 \"order\", 113 ms old\n"
                              "└─ page/slow step: runs"});
    stalls.cancel();
    flow.cancel();
    AsyncSteps later(hand.tool, told.options());
    later.add(hand.works(99));
    later.execute();
    hand.run();
    CHECK(told.codes.size() == 1);
    CHECK_FALSE(hand.tool.core().isObserved());
}

TEST_CASE("each call of a body is one, that of a deferred function, too", "[stallwatch]") {
    ByHand hand;
    Reports told;
    const StallWatch stalls(hand.tool, {.body = 50});
    AsyncSteps flow(hand.tool, told.options());
    flow.repeat(3, [&](IAsyncSteps& asi, std::size_t i) {
        hand.clock.passMs(30.0 * static_cast<double>(i));
        asi.defer([&hand, i](IAsyncSteps&) { hand.clock.passMs(70.0 * static_cast<double>(i)); });
    });
    flow.execute();
    hand.run();
    CHECK(told.firstLines() == Lines{"0/#1/~0 held the loop for 70 ms",
                                     "0/#2 held the loop for 60 ms",
                                     "0/#2/~0 held the loop for 140 ms"});
}

TEST_CASE("a body that runs already when the watch is made is not told", "[stallwatch]") {
    ByHand hand;
    Reports told;
    std::optional<StallWatch> stalls;
    AsyncSteps flow(hand.tool, told.options());
    flow.add([&](IAsyncSteps&) {
        stalls.emplace(hand.tool, StallOptions{.body = 50});
        hand.clock.passMs(60);
    });
    flow.add(hand.works(70));
    flow.execute();
    hand.run();
    CHECK(told.firstLines() == Lines{"1 held the loop for 70 ms"});
}

TEST_CASE("a wait that lasts is reported once, with what it is for, path and tree",
          "[stallwatch]") {
    VirtualTool tool;
    Reports told;
    StallWatch stalls(tool, {.wait = 10ms});
    Mutex db({.name = "db"});
    AsyncSteps flow(tool, told.options("order"));
    flow.add(all(sync(db, &hang), sync(db, &hang), delay(9ms)));
    flow.execute();
    tool.advance(9);
    CHECK(told.codes.empty());
    tool.advance(100);
    const std::string tree =
        "flow 7 \"order\", 10 ms old\n"
        "└─ 0 all\n"
        "   ├─ |0 sync: waits for its completion, for 10 ms now\n"
        "   └─ |1 sync: waits for mutex \"db\", place 1, for 10 ms now";
    CHECK(told.codes == Lines{"StalledWait", "StalledWait"});
    CHECK(told.paths == Lines{"0/|0", "0/|1"});
    CHECK(told.infos == Lines{"0/|0 waits for its completion, for 10 ms now\n" + tree,
                              "0/|1 waits for mutex \"db\", for 10 ms now\n" + tree});
    CHECK(stalls.valid());
    stalls.cancel();
    CHECK_FALSE(stalls.valid());
    flow.cancel();
    flow.execute();
    tool.advance(100);
    CHECK(told.codes.size() == 2);
    flow.cancel();
}

TEST_CASE("a line that goes on waits anew", "[stallwatch]") {
    VirtualTool tool;
    Reports told;
    const StallWatch stalls(tool, {.wait = 10});
    AsyncSteps flow(tool, told.options());
    flow.add(steps(delay(8ms), delay(10ms), delay(12ms), [](IAsyncSteps& asi) {
        asi.loop([](IAsyncSteps& each) { each.add(delay(6ms)); });
    }));
    flow.execute();
    tool.advance(200);
    CHECK(told.firstLines() == Lines{"0/2 waits 2 ms, for 10 ms now"});
    flow.cancel();
}

TEST_CASE("a watch keeps nothing running, and has no timer of the tool", "[stallwatch]") {
    VirtualTool tool;
    Reports told;
    const StallWatch stalls(tool, {.wait = 10});
    AsyncSteps flow(tool, told.options());
    flow.add(&hang);
    flow.execute();
    tool.run();
    CHECK(tool.now() == 0);
    CHECK(tool.armedTimers() == 0);
    CHECK(told.codes.empty());
    tool.deferred(30, [] {});
    tool.run();
    CHECK(tool.now() == 30);
    CHECK(told.codes.size() == 1);
    flow.cancel();

    ByHand hand;
    const StallWatch driven(hand.tool, {.body = 50, .wait = 10});
    AsyncSteps waits(hand.tool, told.options());
    waits.add(&hang);
    waits.execute();
    hand.run();
    CHECK_FALSE(hand.tool.iterate().work);
    waits.cancel();
}

TEST_CASE("whatever report does, nothing else is disturbed", "[stallwatch]") {
    ByHand hand;
    std::optional<StallWatch> stalls(std::in_place, hand.tool, StallOptions{.body = 5});
    Lines seen;
    const Observation watching = hand.tool.observe(
        [&](const FlowEvent& event) { seen.emplace_back(event.what()); }, {.bodies = true});
    AsyncSteps other(hand.tool);
    other.add(&hang);
    std::optional<AsyncSteps> flow;
    std::string refused;
    Options options;
    options.report = [&](auto&&...) {
        refused = rig::codeOf([&] { hand.tool.iterate(); });
        other.execute();
        flow->cancel();
        stalls.reset();
    };
    flow.emplace(hand.tool, std::move(options));
    flow->add(hand.works(6));
    flow->add([&](IAsyncSteps&) { seen.emplace_back("never"); });
    flow->execute();
    hand.run();
    CHECK(refused == "InternalError");
    CHECK(seen == Lines{"begun", "turn", "opened", "body", "returned", "begun", "closed", "ended",
                        "turn", "opened", "body", "returned", "waits"});
    other.cancel();

    VirtualTool tool;
    stalls.emplace(tool, StallOptions{.wait = 10});
    const auto branch = [](IAsyncSteps& asi) { asi.waitExternal(); };
    Options last;
    last.report = [&](auto&&...) {
        seen.emplace_back("told");
        flow.reset();
        stalls.reset();
    };
    flow.emplace(tool, std::move(last));
    flow->add(all(branch, branch));
    flow->execute();
    seen.clear();
    tool.advance(20);
    CHECK(seen == Lines{"told"});
}

TEST_CASE("a watch that reports may be told to destroy the tool", "[stallwatch]") {
    auto tool = std::make_unique<VirtualTool>();
    StallWatch stalls(*tool, {.body = 60'000, .wait = 10});
    Options options;
    options.report = [&](auto&&...) { tool.reset(); };
    auto flow = std::make_unique<AsyncSteps>(*tool, std::move(options));
    flow->add(&hang);
    flow->execute();
    tool->advance(20);
    CHECK(tool == nullptr);
    CHECK_FALSE(stalls.valid());
}

TEST_CASE("bad options are refused", "[stallwatch]") {
    VirtualTool tool;
    const auto refused = [&](StallOptions options) -> std::string {
        try {
            const StallWatch stalls(tool, std::move(options));
        } catch (const StepError& error) {
            return error.code() + ": " + error.info();
        }
        return "none";
    };
    CHECK(refused({.body = 0}) ==
          "InternalError: StallWatch: body: expected milliseconds, more than 0, got 0");
    CHECK(refused({.body = 5, .wait = -1ms}) ==
          "InternalError: StallWatch: wait: expected milliseconds, more than 0, got -1");
    CHECK(refused({}) == "InternalError: StallWatch: expected body or wait");
    CHECK(refused({.wait = 5, .onStuck = [](const StuckBody&) {}}) ==
          "InternalError: StallWatch: expected body");
    CHECK_FALSE(tool.core().isObserved());
}

TEST_CASE("bodies that are watched take no memory", "[stallwatch][memory]") {
    VirtualTool tool;
    const auto cost = [&] {
        AsyncSteps flow(tool, Options{.name = "order"});
        flow.repeat(1000, [](IAsyncSteps& asi, std::size_t) {
            asi.add([](IAsyncSteps& inner) { inner.add(delay(1ms)); });
        });
        const std::size_t before = allocations::count();
        flow.execute();
        tool.run();
        return allocations::count() - before;
    };
    cost();
    const std::size_t alone = cost();
    const StallWatch stalls(tool, {.body = 60'000, .wait = 60'000});
    cost();
    CHECK(cost() <= alone + 1);  // the watchdog may send an alarm
}
