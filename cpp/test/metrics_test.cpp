#include "steptree/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "eachfails.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/mutex.hpp"
#include "steptree/observe.hpp"
#include "steptree/run.hpp"
#include "steptree/snapshot.hpp"
#include "steptree/throttle.hpp"
#include "told.hpp"

using namespace told;

namespace {

void nothing(IAsyncSteps&) {}
void wait(IAsyncSteps& asi) {
    asi.waitExternal();
}
void recover(IAsyncSteps& asi, const std::string&) {
    asi.success();
}

std::string counted(const MetricsRead& read) {
    const auto& [ok, error, cancelled] = read.ended;
    std::string text = "alive " + std::to_string(read.alive) + " begun " +
                       std::to_string(read.begun) + " ok " + std::to_string(ok) + " error " +
                       std::to_string(error) + " cancelled " + std::to_string(cancelled) +
                       " opened " + std::to_string(read.opened) + " turns " +
                       std::to_string(read.turns);
    for (const auto& [code, count] : read.errors) text += ' ' + code + ' ' + std::to_string(count);
    return text;
}

std::string errorsOf(Metrics& metrics) {
    std::string text;
    const MetricsRead read = metrics.read();
    for (const auto& [code, count] : read.errors) {
        if (!text.empty()) text += ' ';
        text += code + ' ' + std::to_string(count);
    }
    return text;
}

std::string textOf(const MetricsRead::Guard& guard) {
    std::string text = guard.kind + " \"" + guard.name + "\" " + std::to_string(guard.waiting);
    if (guard.active) text += " active " + std::to_string(*guard.active);
    if (guard.available) text += " available " + std::to_string(*guard.available);
    return text;
}

Lines guardsOf(Metrics& metrics) {
    Lines lines;
    const MetricsRead read = metrics.read();
    for (const auto& guard : read.guards) lines.push_back(textOf(guard));
    return lines;
}

/// For so many milliseconds of the machine's.
void work(int ms) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(ms);
    while (Clock::now() < end) continue;
}

}  // namespace

TEST_CASE("counts flows, steps, turns and errors from when it was made", "[metrics]") {
    VirtualTool tool;
    AsyncSteps before(tool);
    before.add(&wait);
    before.execute();
    tool.run();
    Metrics metrics(tool);
    CHECK(counted(metrics.read()) == "alive 1 begun 0 ok 0 error 0 cancelled 0 opened 0 turns 0");
    AsyncSteps flow(tool);
    flow.add([](IAsyncSteps& asi) {
        asi.add(delay(5));
        asi.add([](IAsyncSteps& inner) { inner.error("Broken"); });
    });
    flow.execute([](Outcome&) {});
    AsyncSteps waiting(tool);
    waiting.add(&wait);
    waiting.execute();
    tool.run();
    before.cancel();
    const Future<> ended = run(tool, step(&nothing));
    tool.run();
    ended.get();
    CHECK(counted(metrics.read()) ==
          "alive 1 begun 3 ok 1 error 1 cancelled 1 opened 5 turns 4 Broken 1");
    CHECK(metrics.read().guards.empty());
    waiting.cancel();
    CHECK(metrics.read().alive == 0);
}

TEST_CASE("an error counts once on its way outwards, also if it is recovered", "[metrics]") {
    Rig rig;
    Metrics metrics(rig.tool);
    const auto deep = [](IAsyncSteps& asi) {
        asi.add([](IAsyncSteps& one) { one.add([](IAsyncSteps& two) { two.error("Deep"); }); });
    };
    rig.flow.add(deep, &recover);
    rig.flow.add(deep, [](IAsyncSteps& asi, const std::string&) { asi.error("Other"); });
    CHECK(rig.run() == "error Other");
    CHECK(errorsOf(metrics) == "Deep 2 Other 1");
    AsyncSteps next(rig.tool);
    next.add([](IAsyncSteps& asi) { asi.error("Own"); },
             [](IAsyncSteps& asi, const std::string&) {
                 asi.add([](IAsyncSteps& inner) { inner.error("Own"); });
             });
    CHECK(run(rig.tool, next) == "error Own");
    CHECK(errorsOf(metrics) == "Deep 2 Other 1 Own 2");
}

TEST_CASE("each attempt and each branch that fails counts", "[metrics]") {
    Rig rig;
    Metrics metrics(rig.tool);
    rig.flow.add(retry({.max = 3, .backoff = {.base = 1}},
                       step([](IAsyncSteps& asi) { asi.error("Again"); })),
                 &recover);
    rig.flow.add(all(step([](IAsyncSteps& asi) {
                         asi.add(delay(1));
                         asi.setTimeout(0);
                     }),
                     delay(9)),
                 &recover);
    CHECK(rig.run() == "ok");
    CHECK(errorsOf(metrics) == "Again 3 Timeout 1");
}

TEST_CASE("behind a thousand codes the rest has one entry", "[metrics]") {
    Rig rig;
    Metrics metrics(rig.tool);
    rig.flow.repeat(1003, [](IAsyncSteps& asi, std::size_t i) {
        asi.add(
            [i](IAsyncSteps& inner) {
                inner.error(i < 2 ? "__proto__" : "Code" + std::to_string(i));
            },
            &recover);
    });
    CHECK(rig.run() == "ok");
    const auto errors = metrics.read().errors;
    CHECK(errors.size() == 1001);
    CHECK(errors.at("__proto__") == 2);
    CHECK(errors.at("other") == 2);
}

TEST_CASE("shows the queues of the guards that lines have or wait for", "[metrics]") {
    VirtualTool tool;
    Metrics metrics(tool);
    Mutex mutex({.name = "db"});
    Throttle throttle({.max = 1, .period = std::chrono::milliseconds(10), .maxQueue = 5});
    AsyncSteps flow(tool);
    flow.add(all(sync(mutex, &wait), sync(mutex, &nothing), sync(throttle, &wait),
                 sync(throttle, &nothing)));
    flow.execute();
    tool.advance(0);
    CHECK(guardsOf(metrics) == Lines{"mutex \"db\" 1 active 1 available 0", "throttle \"\" 1"});
    flow.cancel();
    CHECK(guardsOf(metrics).empty());
}

TEST_CASE("measures turns, and how long others wait meanwhile, by the real clock", "[metrics]") {
    VirtualTool tool;
    Metrics metrics(tool);
    tool.start(step([](IAsyncSteps&) { work(20); }));
    tool.run();
    const MetricsRead first = metrics.read();
    CHECK(first.turn.max >= 20);
    CHECK(first.turn.sum >= first.turn.max);
    CHECK(first.lag.count == 1);
    CHECK(first.lag.max >= first.turn.max);
    CHECK(first.lag.sum == first.lag.max);
    const MetricsRead later = metrics.read();
    CHECK(later.turn.max == 0);
    CHECK(later.lag.max == 0);
    CHECK(later.turn.sum == first.turn.sum);
    CHECK(later.lag.sum == first.lag.sum);
}

TEST_CASE("counts no more when it is cancelled, and pays nothing then", "[metrics]") {
    VirtualTool tool;
    Metrics metrics(tool);
    Metrics other(tool);
    const auto empty = step(&nothing);
    tool.start(empty);
    tool.run();
    CHECK(metrics.valid());
    metrics.cancel();
    CHECK_FALSE(metrics.valid());
    tool.start(empty);
    tool.run();
    CHECK(metrics.read().begun == 1);
    CHECK(other.read().begun == 2);
    other.cancel();
    CHECK_FALSE(tool.core().isObserved());
}

TEST_CASE("others wait for all turns of a pass", "[metrics]") {
    for (const std::uint32_t order : {0, 1}) {
        VirtualTool tool({.order = order});
        Metrics metrics(tool);
        for (int i = 0; i < 3; ++i) tool.start(step([](IAsyncSteps&) { work(2); }));
        tool.run();
        const MetricsRead read = metrics.read();
        CAPTURE(order);
        CHECK(read.turns == 3);
        CHECK(read.turn.sum >= 6);
        CHECK(read.lag.count == (order == 0 ? 1 : 3));
        CHECK(read.lag.sum >= read.turn.sum);
    }
}

TEST_CASE("who idles has no lag", "[metrics]") {
    AsyncTool tool(AsyncTool::Driven{});
    Metrics metrics(tool);
    tool.start(step(&wait));
    while (metrics.read().lag.count == 0) tool.iterate();
    const MetricsRead busy = metrics.read();
    CHECK(busy.turns == 1);
    int called = 0;
    const Handle immediate = tool.immediate([&] { ++called; });
    const Handle timer = tool.deferred(0, [&] { ++called; });
    while (called < 2) tool.iterate();
    const MetricsRead idle = metrics.read();
    CHECK(idle.turns == 1);
    CHECK(idle.lag.count == 1);
    CHECK(idle.lag.sum == busy.lag.sum);
}

TEST_CASE("a tool may go in a turn that is measured", "[metrics]") {
    for (const bool isDriven : {false, true}) {
        std::unique_ptr<VirtualTool> stepped;
        std::unique_ptr<AsyncTool> driven;
        if (isDriven)
            driven = std::make_unique<AsyncTool>(AsyncTool::Driven{});
        else
            stepped = std::make_unique<VirtualTool>();
        Tool& tool = isDriven ? static_cast<Tool&>(*driven) : *stepped;
        Metrics metrics(tool);
        AsyncSteps waiting(tool);
        waiting.add(&wait);
        waiting.execute();
        tool.start(step(&wait));
        tool.start(step([&](IAsyncSteps&) {
            stepped.reset();
            driven.reset();
        }));
        if (isDriven) {
            AsyncTool& runs = *driven;
            while (driven != nullptr) runs.iterate();
        } else {
            VirtualTool& runs = *stepped;
            runs.run();
        }
        CAPTURE(isDriven);
        CHECK_FALSE(metrics.valid());
        const MetricsRead read = metrics.read();
        CHECK(read.alive == 0);
        CHECK(read.begun == 3);
        CHECK(read.turns == 3);
        CHECK(read.ended.cancelled == 1);
        CHECK(read.guards.empty());
        metrics.cancel();
    }
}

TEST_CASE("figures may begin at each event, and know then how many flows run", "[metrics]") {
    for (int at = 0;; ++at) {
        Mutex mutex;
        VirtualTool tool;
        AsyncSteps first(tool);
        AsyncSteps second(tool);
        AsyncSteps third(tool);
        fillWith(first, mutex);
        second.add(&nothing);
        third.add(&nothing);
        int left = at;
        std::optional<Metrics> metrics;
        std::uint64_t running = 0;
        bool executesSecond = true;
        bool executesThird = true;
        const auto begins = [&](const FlowEvent& event) {
            if (event.what() == "begun") ++running;
            if (event.what() == "ended") --running;
            if (event.what() == "closed" && std::exchange(executesSecond, false)) second.execute();
            if (event.what() == "ended" && std::exchange(executesThird, false)) third.execute();
            if (left-- != 0) return;
            metrics.emplace(tool);
            CHECK(metrics->read().alive == running);
        };
        const Observation watching = tool.observe(begins);
        CHECK(run(tool, first) == "ok");
        CAPTURE(at);
        if (!metrics) {
            CHECK(at > 50);
            break;
        }
        CHECK(metrics->read().alive == 0);
    }
}

TEST_CASE("figures may be moved, and end at each event", "[metrics]") {
    for (int at = 0;; ++at) {
        Mutex mutex;
        Rig rig;
        fillWith(rig.flow, mutex);
        Metrics first(rig.tool);
        int left = at;
        std::uint64_t opened = 0;
        MetricsRead last;
        const auto ends = [&](const FlowEvent& event) {
            if (left >= 0 && event.what() == "opened") ++opened;
            if (left-- != 0) return;
            Metrics moved = std::move(first);
            CHECK_FALSE(first.valid());
            CHECK(first.read().begun == 0);
            first = std::move(moved);
            CHECK(first.valid());
            first.cancel();
            last = first.read();
        };
        const Observation watching = rig.tool.observe(ends);
        CHECK(rig.run() == "ok");
        CAPTURE(at);
        CHECK(first.read().opened == opened);
        if (left >= 0) {
            CHECK(at > 40);
            break;
        }
        CHECK(counted(first.read()) == counted(last));
        CHECK(first.read().turn.sum == last.turn.sum);
        CHECK(first.read().lag.count == last.lag.count);
    }
}

TEST_CASE("no event takes memory of figures, but for a new code", "[metrics][memory]") {
    const auto costOf = [](bool counts, int rounds) {
        Mutex mutex;
        VirtualTool tool;
        std::optional<Metrics> metrics;
        if (counts) metrics.emplace(tool);
        AsyncSteps flow(tool);
        fillWith(flow, mutex);
        const auto fails = step([](IAsyncSteps& asi) {
            asi.error("A code that is longer than what lies in a string");
        });
        flow.repeat(rounds, steps(steps(fails)).onError(&recover));
        const std::size_t before = allocations::count();
        flow.execute();
        tool.run();
        const std::size_t cost = allocations::count() - before;
        if (counts) CHECK(metrics->read().errors.size() == 3);
        return cost;
    };
    const std::size_t ofCodes = costOf(true, 1) - costOf(false, 1);
    CHECK(ofCodes > 0);
    CHECK(costOf(true, 100) - costOf(false, 100) == ofCodes);
}

TEST_CASE("figures survive each allocation that fails", "[metrics][memory]") {
    eachfails::check("ok", [](VirtualTool& tool, IFlow& flow) {
        struct Held {
            Mutex mutex{{.name = eachfails::kLong}};
            std::optional<Metrics> first;
            std::optional<Metrics> second;
            Observation watching;
        };
        const auto held = std::make_shared<Held>();
        held->first.emplace(tool);
        held->second.emplace(tool);
        held->watching = tool.observe([left = 30, &held = *held](const FlowEvent&) mutable {
            if (--left == 15) held.first->cancel();
            if (left == 10) static_cast<void>(held.first->read());
            if (left == 5) static_cast<void>(held.second->read());
            if (left == 0) held.second.reset();
        });
        fillWith(flow, held->mutex);
        flow.add([held](IAsyncSteps&) {});
    });
}
