#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "eachfails.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/channel.hpp"
#include "steptree/detail/toolcore.hpp"
#include "steptree/gate.hpp"
#include "steptree/limiter.hpp"
#include "steptree/run.hpp"
#include "steptree/scope.hpp"
#include "told.hpp"

/// What observers call, and what they are told by events then.

using namespace told;

TEST_CASE("a tool isn't run by its observers", "[observe]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    Lines codes;
    Lines lines;
    Observation second;
    const Observation first = tool.observe([&](const FlowEvent& event) {
        if (event.what() != "begun" && event.what() != "cancel") return;
        codes.push_back(codeOf([&] { tool.run(); }));
        codes.push_back(codeOf([&] { tool.advance(1); }));
    });
    second = tool.observe(into(lines));
    flow.add([&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { second.cancel(); }); });
    flow.execute();
    CHECK(lines == Lines{"begun"});
    tool.run();
    flow.cancel();
    CHECK(codes == Lines(4, "InternalError"));
    CHECK(lines == Lines{"begun", "turn", "opened 0 step", "waits 0 success", "cancel 0"});

    AsyncTool driven(AsyncTool::Driven{});
    AsyncSteps other(driven);
    const Observation third = driven.observe([&](const FlowEvent& event) {
        if (event.what() == "begun") codes.push_back(codeOf([&] { driven.iterate(); }));
    });
    other.add([](IAsyncSteps&) {});
    static_cast<void>(driven.iterate());
    other.execute();
    CHECK(codes == Lines(5, "InternalError"));
    CHECK(other.snapshot().state == "running");
    static_cast<void>(driven.iterate());
    CHECK(other.snapshot().state == "idle");
}

TEST_CASE("an observer may destroy or stop a flow whose begin it is told", "[observe]") {
    for (const bool stops : {false, true}) {
        for (const bool owned : {false, true}) {
            eachfails::Poisoning pool;
            VirtualTool tool({.pool = &pool});
            std::stop_source source;
            std::unique_ptr<AsyncSteps> flow;
            Lines lines;
            const Observation watching = tool.observe([&](const FlowEvent& event) {
                lines.push_back(textOf(event));
                if (event.what() != "begun") return;
                if (stops) source.request_stop();
                flow.reset();
            });
            bool ran = false;
            const auto body = [&](IAsyncSteps&) { ran = true; };
            std::string end;
            const auto done = [&](Outcome& outcome) { end = outcome.code; };
            if (owned) {
                tool.start(step(body), {.done = done, .signal = source.get_token()});
            } else {
                flow = std::make_unique<AsyncSteps>(tool);
                flow->add(body);
                flow->execute(done, source.get_token());
            }
            if (owned && !stops) source.request_stop();
            tool.run();
            CAPTURE(stops, owned);
            CHECK_FALSE(ran);
            CHECK(lines == Lines{"begun", "ended cancelled"});
            CHECK(end == (owned ? "Canceled" : ""));
            CHECK(tool.core().flowsLive.first() == nullptr);
        }
    }
}

TEST_CASE("a flow whose signal was aborted before it starts has no events", "[observe]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    std::stop_source source;
    source.request_stop();
    Lines lines;
    const Observation watching = tool.observe(into(lines));
    flow.add([](IAsyncSteps&) {});
    std::string end;
    flow.execute([&](Outcome& outcome) { end = outcome.code; }, source.get_token());
    tool.run();
    CHECK(end == "Canceled");
    CHECK(lines.empty());
}

TEST_CASE("a flow is its scope's when its begin is told", "[observe]") {
    VirtualTool tool;
    std::optional<Scope> scope(tool);
    Future<std::size_t> closed;
    Lines lines;
    SECTION("which closes then") {
        const Observation watching = tool.observe([&](const FlowEvent& event) {
            lines.push_back(textOf(event));
            if (event.what() == "begun") closed = scope->close();
        });
        scope->start(step([](IAsyncSteps& asi) { asi.waitExternal(); }));
        tool.run();
        CHECK(closed.get() == 1);
    }
    SECTION("which goes then") {
        const Observation watching = tool.observe([&](const FlowEvent& event) {
            lines.push_back(textOf(event));
            scope.reset();
        });
        scope->start(step([](IAsyncSteps& asi) { asi.waitExternal(); }));
        tool.run();
    }
    CHECK(lines == Lines{"begun", "ended cancelled"});
    CHECK(tool.core().flowsLive.first() == nullptr);
}

TEST_CASE("a canceller that is made at the end of a flow is none of its next run", "[observe]") {
    Rig rig;
    Canceller late;
    const Observation watching = rig.tool.observe([&](const FlowEvent& event) {
        if (event.what() == "ended") late = rig.flow.canceller();
    });
    rig.flow.add([](IAsyncSteps&) {});
    CHECK(rig.run() == "ok");
    rig.flow.add([&](IAsyncSteps& asi) {
        late.cancel();
        asi.add(delay(1));
    });
    CHECK(rig.run() == "ok");
}

TEST_CASE("all observers are told one time of an event", "[observe]") {
    Rig rig;
    std::vector<std::int64_t> times;
    const auto works = [&](const FlowEvent& event) {
        if (event.what() != "turn") return;
        times.push_back(event.time());
        rig.tool.elapse(std::chrono::milliseconds(3));
        times.push_back(event.time());
    };
    const Observation first = rig.tool.observe(works);
    const Observation second = rig.tool.observe(works);
    rig.flow.add([](IAsyncSteps&) {});
    CHECK(rig.run() == "ok");
    CHECK(times == std::vector<std::int64_t>(4, 0));
}

TEST_CASE("an observation that finds no memory asks for no bodies", "[observe][memory]") {
    for (std::size_t after = 0;; ++after) {
        Rig rig;
        std::uint64_t sequence = 0;
        bool hasGaps = false;
        const Observation watching = rig.tool.observe([&](const FlowEvent& event) {
            if (event.sequence() != ++sequence) hasGaps = true;
        });
        bool failed = false;
        {
            const allocations::Failing failing(after, 1);
            try {
                const Observation other =
                    rig.tool.observe([](const FlowEvent&) {}, {.bodies = true});
            } catch (const std::bad_alloc&) {
                failed = true;
            }
        }
        rig.flow.add([](IAsyncSteps&) {});
        CHECK(rig.run() == "ok");
        CAPTURE(after);
        CHECK_FALSE(hasGaps);
        if (!failed) {
            CHECK(after > 1);
            break;
        }
    }
}

namespace {

/// Each waits in another way.
void fillEach(VirtualTool& tool, Mutex& mutex, Limiter& limiter, Gate& gate,
              Channel<int>& numbers) {
    tool.start(step([](IAsyncSteps& asi) { asi.add(delay(3)); }));
    tool.start(step([](IAsyncSteps& asi) { asi.waitExternal(); }));
    tool.start(step([](IAsyncSteps& asi) { asi.setCancel([](IAsyncSteps&) {}); }));
    const auto waits = [](IAsyncSteps& asi) { asi.waitExternal(); };
    for (int i = 0; i < 2; ++i) tool.start(sync(mutex, waits));
    for (int i = 0; i < 2; ++i) tool.start(sync(limiter, waits));
    tool.start(step([&](IAsyncSteps& asi) { gate.wait(asi); }));
    tool.start(step([&](IAsyncSteps& asi) { numbers.receive(asi); }));
    tool.start(step([](IAsyncSteps& asi) {
        asi.add(
            [](IAsyncSteps& inner) {
                inner.add(retry({.max = 2, .backoff = {.base = 4, .jitter = 0}},
                                [](IAsyncSteps& attempt) { attempt.error("E"); }));
            },
            [](IAsyncSteps& inner, const std::string&) { inner.success(); });
    }));
}

}  // namespace

TEST_CASE("an event says what its line waits for as a snapshot does", "[observe]") {
    Mutex mutex({.name = "db"});
    Limiter limiter({.concurrent = 1});
    Gate gate({.open = false});
    Channel<int> numbers({.capacity = 1, .name = "numbers"});
    VirtualTool tool;
    std::set<std::string> seen;
    const Observation watching = tool.observe([&](const FlowEvent& event) {
        const auto wait = event.waits();
        REQUIRE(wait.has_value() == (event.what() == "waits"));
        if (!wait) return;
        const Snapshot snapshot = tool.snapshot();
        for (const FlowSnapshot& flow : snapshot.flows) {
            if (flow.id != event.flowId()) continue;
            const WaitSnapshot& shown = *flow.line->waits;
            CAPTURE(textOf(event));
            CHECK(wait->what == shown.what);
            CHECK(wait->ms == shown.ms);
            CHECK(wait->guard == shown.guard);
            CHECK(wait->kind == shown.kind);
            CHECK(wait->name == shown.name);
            CHECK(wait->place == shown.place);
            seen.insert(wait->what + wait->kind);
        }
    });
    fillEach(tool, mutex, limiter, gate, numbers);
    tool.run();
    CHECK(seen == std::set<std::string>{"completion", "guardgate", "guardlimiter", "guardmutex",
                                        "receive", "success", "timer"});
}

TEST_CASE("to ask what a line waits for costs the same however many wait", "[observe][memory]") {
    Mutex mutex;
    VirtualTool tool;
    std::set<std::size_t> costs;
    std::size_t waits = 0;
    const Observation watching = tool.observe([&](const FlowEvent& event) {
        if (event.what() != "waits") return;
        const std::size_t before = allocations::count();
        const auto wait = event.waits();
        const std::size_t cost = allocations::count() - before;
        if (wait->what != "guard") return;
        costs.insert(cost);
        ++waits;
    });
    for (int i = 0; i < 100; ++i)
        tool.start(sync(mutex, [](IAsyncSteps& asi) { asi.add(delay(1)); }));
    tool.run();
    CHECK(waits == 99);
    CHECK(costs.size() == 1);
}
