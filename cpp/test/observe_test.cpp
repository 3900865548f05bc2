#include "steptree/observe.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "eachfails.hpp"
#include "fakeclock.hpp"
#include "smallstack.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/channel.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/run.hpp"
#include "told.hpp"

using namespace told;

namespace {

/// Whether each step that was opened was closed, inner ones before, and the flow ended as the last.
bool isWhole(const Lines& lines) {
    Lines open;
    for (const std::string& line : lines) {
        const std::size_t path = line.find(' ') + 1;
        const std::string at = line.substr(path, line.find(' ', path) - path) + "/";
        if (begins(line, "opened ")) open.push_back(at);
        if (!begins(line, "closed ")) continue;
        const auto last = std::find(open.rbegin(), open.rend(), at);
        if (last == open.rend()) return false;
        if (std::any_of(open.rbegin(), last,
                        [&](const std::string& inner) { return begins(inner, at.c_str()); }))
            return false;
        open.erase(std::next(last).base());
    }
    return open.empty() && !lines.empty() && begins(lines.back(), "ended ");
}

}  // namespace

TEST_CASE("an observer is told what flows do", "[observe]") {
    VirtualTool tool;
    AsyncSteps flow(tool, Options{.name = "client"});
    flow.add([](IAsyncSteps& asi) {
        asi.add([](IAsyncSteps& inner) { inner.setTimeout(7); },
                [](IAsyncSteps& inner, const std::string&) { inner.success(); });
    });
    Lines lines;
    std::uint64_t sequence = 0;
    std::uint64_t id = 0;
    std::vector<std::int64_t> times;
    const auto note = [&](const FlowEvent& event) {
        lines.push_back(textOf(event) + " " + event.element());
        CHECK(event.flowName() == "client");
        CHECK(event.sequence() == ++sequence);
        id = event.flowId();
        times.push_back(event.time());
    };
    {
        const Observation watching = tool.observe(note, {.bodies = true});
        CHECK(watching.valid());
        flow.execute();
        CHECK(id == flow.snapshot().id);
        tool.run();
    }
    const Lines expected{"begun ",
                         "turn ",
                         "opened 0 step 0",
                         "body 0 0",
                         "returned 0 0",
                         "opened 0/0 step 0",
                         "body 0/0 0",
                         "returned 0/0 0",
                         "waits 0/0 success 0",
                         "handler 0/0 Timeout 0",
                         "closed 0/0 ok 0",
                         "turn 0 0",
                         "closed 0 ok 0",
                         "ended ok "};
    CHECK(lines == expected);
    CHECK(times.front() == 0);
    CHECK(times.back() == 7);
    flow.add([](IAsyncSteps&) {});
    CHECK(run(tool, flow) == "ok");
    CHECK(lines.size() == expected.size());
}

TEST_CASE("what happens in a turn has the time of its first event", "[observe]") {
    FakeClock clock;
    AsyncTool tool(AsyncTool::Driven{.clock = &clock});
    std::vector<std::int64_t> times;
    const Observation watching =
        tool.observe([&times](const FlowEvent& event) { times.push_back(event.time()); });
    const auto busy = [&clock](IAsyncSteps&) { clock.passMs(0.2); };
    clock.passMs(0.9);
    const std::int64_t turn = tool.now();
    AsyncSteps flow(tool);
    flow.add(busy).add(busy).execute();
    tool.iterate();
    CHECK(times == std::vector<std::int64_t>(7, turn));
    flow.add(busy).execute();
    CHECK(times.back() == turn + 1);
    tool.iterate();
    const Observation bodies = tool.observe([](const FlowEvent&) {}, {.bodies = true});
    clock.passMs(0.3);
    times.clear();
    flow.add(busy).add(busy).execute();
    tool.iterate();
    CHECK(times == std::vector<std::int64_t>{turn + 1, turn + 1, turn + 1, turn + 2, turn + 2,
                                             turn + 2, turn + 2});
}

TEST_CASE("events of one step say which it is, and which is around it", "[observe]") {
    Mutex mutex;
    Rig rig;
    fillWith(rig.flow, mutex);
    std::map<std::uint64_t, std::string> open;
    std::size_t parts = 0;
    const auto isAt = [&](std::uint64_t step, const std::string& path) {
        const auto found = open.find(step);
        return step == 0 ? path.empty() : found != open.end() && found->second == path;
    };
    const auto note = [&](const FlowEvent& event) {
        const std::string path = event.path();
        const std::string element = event.element();
        CAPTURE(textOf(event));
        if (event.what() == "opened") {
            CHECK(event.step() != 0);
            CHECK(open.emplace(event.step(), path).second);
        }
        CHECK(isAt(event.step(), path));
        if (event.step() == 0) {
            CHECK(event.parent() == 0);
            return;
        }
        const bool isOutermost = element.size() == path.size();
        const std::size_t around = path.size() - element.size() - (isOutermost ? 0 : 1);
        CHECK(isAt(event.parent(), path.substr(0, around)));
        if (event.what() == "closed") open.erase(event.step());
        ++parts;
    };
    const Observation watching = rig.tool.observe(note, {.bodies = true});
    CHECK(rig.run() == "ok");
    CHECK(open.empty());
    CHECK(parts > 60);
}

TEST_CASE("each observer is told each event, in their order, whatever the others throw",
          "[observe]") {
    Lines reported;
    Options options;
    options.report = [&](const std::string& code, const std::string& info,
                         const std::exception_ptr&, const std::string& path) {
        reported.push_back(code + " " + info + " " + path);
    };
    VirtualTool tool;
    AsyncSteps flow(tool, std::move(options));
    flow.add([](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
    Lines lines;
    const auto other = [&](const char* who) {
        return [&lines, who](const FlowEvent& event) {
            lines.push_back(who + std::string(event.what()));
            throw std::runtime_error(who);
        };
    };
    const Observation first = tool.observe(other("a"));
    const Observation second = tool.observe(other("b"));
    CHECK(run(tool, flow) == "ok");
    REQUIRE(lines.size() == 14);
    for (std::size_t i = 0; i < lines.size(); i += 2) {
        CHECK(lines[i][0] == 'a');
        CHECK(lines[i + 1] == "b" + lines[i].substr(1));
    }
    REQUIRE(reported.size() == lines.size());
    CHECK(reported[0] == "InternalError a ");
    CHECK(reported[4] == "InternalError a 0");
}

TEST_CASE("a flow may be cancelled at each event", "[observe]") {
    for (int at = 0;; ++at) {
        Mutex mutex;
        Rig rig;
        fillWith(rig.flow, mutex);
        Lines lines;
        int left = at;
        const auto cancels = [&](const FlowEvent& event) {
            lines.push_back(textOf(event));
            if (left-- == 0) rig.flow.cancel();
        };
        const Observation watching = rig.tool.observe(cancels, {.bodies = true});
        const std::string end = rig.run();
        CAPTURE(at, lines);
        CHECK(isWhole(lines));
        CHECK(mutex.active() == 0);
        if (left >= 0) {
            CHECK(end == "ok");
            CHECK(at > 60);
            break;
        }
        const bool late = begins(lines[static_cast<std::size_t>(at)], "ended");
        CHECK(end == (late ? "ok" : "cancelled "));
        CHECK(lines.back() == (late ? "ended ok" : "ended cancelled"));
    }
}

TEST_CASE("a flow may be destroyed, and others cancelled, at each event", "[observe]") {
    for (int at = 0;; ++at) {
        Mutex mutex;
        VirtualTool tool;
        std::array<std::unique_ptr<AsyncSteps>, 2> flows;
        for (auto& flow : flows) {
            flow = std::make_unique<AsyncSteps>(tool);
            fillWith(*flow, mutex);
        }
        int left = at;
        const auto ends = [&](const FlowEvent&) {
            if (left-- != 0) return;
            flows[0].reset();
            flows[1]->cancel();
        };
        const Observation watching = tool.observe(ends, {.bodies = true});
        for (auto& flow : flows) {
            if (flow != nullptr) flow->execute();
        }
        tool.run();
        CAPTURE(at);
        CHECK(mutex.active() == 0);
        CHECK(tool.snapshot().flows.empty());
        if (left >= 0) break;
    }
}

TEST_CASE("what an observer executes is told behind, to all in one order", "[observe]") {
    VirtualTool tool;
    const auto value = step([](IAsyncSteps&) {});
    std::array<std::vector<std::uint64_t>, 2> heard;
    Lines lines;
    int left = 3;
    const Observation first = tool.observe([&](const FlowEvent& event) {
        heard[0].push_back(event.sequence());
        lines.push_back(textOf(event));
        if (event.what() == "begun" && left-- > 0) {
            tool.start(value);
            lines.emplace_back("started");
        }
    });
    const Observation second =
        tool.observe([&](const FlowEvent& event) { heard[1].push_back(event.sequence()); });
    tool.start(value);
    CHECK(lines == Lines{"begun", "started", "begun", "started", "begun", "started", "begun"});
    tool.run();
    CHECK(countOf(lines, "ended ok") == 4);
    CHECK(heard[0] == heard[1]);
    for (std::size_t i = 0; i < heard[0].size(); ++i) CHECK(heard[0][i] == i + 1);
}

TEST_CASE("an observer may end its own observation, and one of another", "[observe]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    flow.add([](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
    int held = 0;
    struct Counts {
        int* held;
        explicit Counts(int* held) : held(held) { ++*held; }
        Counts(Counts&& other) noexcept : held(std::exchange(other.held, nullptr)) {}
        ~Counts() {
            if (held != nullptr) --*held;
        }
    };
    Lines lines;
    Observation second;
    std::optional<Observation> first;
    first = tool.observe([&, counts = Counts(&held)](const FlowEvent& event) {
        lines.push_back("first " + textOf(event));
        if (lines.size() < 3) return;
        second.cancel();
        first.reset();
        CHECK(held == 1);
    });
    second =
        tool.observe([&](const FlowEvent& event) { lines.push_back("second " + textOf(event)); });
    CHECK(run(tool, flow) == "ok");
    CHECK(lines == Lines{"first begun", "second begun", "first turn"});
    CHECK(held == 0);
    CHECK_FALSE(second.valid());
    second.cancel();
}

TEST_CASE("observing may begin and end at any time", "[observe]") {
    for (int at = 0; at < 40; ++at) {
        Mutex mutex;
        VirtualTool tool;
        AsyncSteps flow(tool);
        fillWith(flow, mutex);
        int left = at;
        Lines lines;
        Observation watching;
        const Observation counting = tool.observe(
            [&](const FlowEvent&) {
                if (left-- == 0) watching = tool.observe(into(lines));
                if (left == -10) watching.cancel();
            },
            {.bodies = true});
        CHECK(run(tool, flow) == "ok");
        CAPTURE(at);
        CHECK(mutex.active() == 0);
        CHECK(lines.size() <= 9);
    }
}

TEST_CASE("what is open is told when observing begins", "[observe]") {
    Rig rig;
    Completion done;
    Lines lines;
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.add([&](IAsyncSteps& inner) { done = inner.waitExternal(); });
        asi.parallel().add([](IAsyncSteps& inner) { inner.setTimeout(9); });
    });
    std::string end;
    rig.flow.execute([&](Outcome& outcome) { end = outcome.code; });
    rig.tool.advance(1);
    {
        const Observation first = rig.tool.observe(into(lines));
        done.success();
        rig.tool.advance(1);
    }
    const Lines expected{"opened 0 step",      "opened 0/0 step",     "turn 0/0",
                         "closed 0/0 ok",      "opened 0/1 parallel", "turn 0/1",
                         "opened 0/1/|0 step", "waits 0/1/|0 success"};
    CHECK(lines == expected);
    lines.clear();
    const Observation again = rig.tool.observe(into(lines));
    rig.tool.run();
    CHECK(end == "Timeout");
    CHECK(lines == Lines{"ended error Timeout"});
}

TEST_CASE("observing may end in the last turn of a flow that is its tool's", "[observe]") {
    for (int at = 0; at < 100; ++at) {
        VirtualTool tool;
        int left = at;
        Observation watching;
        watching = tool.observe(
            [&](const FlowEvent&) {
                if (left-- == 0) watching.cancel();
            },
            {.bodies = true});
        const auto inner = step([](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
        tool.start(steps(all(inner, inner), inner));
        tool.run();
        CHECK(tool.snapshot().flows.empty());
        if (left >= 0) return;
    }
    FAIL("more events than that");
}

TEST_CASE("an observation may outlive its tool, which ends it", "[observe]") {
    Lines lines;
    Observation watching;
    {
        VirtualTool tool;
        watching = tool.observe(into(lines));
        tool.start(step([](IAsyncSteps& asi) { asi.waitExternal(); }));
        tool.run();
        CHECK(watching.valid());
    }
    CHECK(lines.back() == "ended cancelled");
    CHECK_FALSE(watching.valid());
    watching.cancel();
    Observation moved = std::move(watching);
    CHECK_FALSE(moved.valid());
}

TEST_CASE("a tool may go at each event", "[observe]") {
    for (int at = 0;; ++at) {
        Mutex mutex;
        auto tool = std::make_unique<VirtualTool>();
        VirtualTool& runs = *tool;
        auto flow = std::make_unique<AsyncSteps>(runs);
        fillWith(*flow, mutex);
        int left = at;
        Lines lines;
        const auto ends = [&](const FlowEvent& event) {
            lines.push_back(textOf(event));
            if (left-- == 0) tool.reset();
        };
        const Observation watching = runs.observe(ends, {.bodies = true});
        flow->execute();
        if (tool != nullptr) runs.run();
        flow.reset();
        CAPTURE(at, lines);
        CHECK(mutex.active() == 0);
        CHECK(watching.valid() == (left >= 0));
        if (left >= 0) break;
    }
}

TEST_CASE("an observer is expected", "[observe]") {
    VirtualTool tool;
    CHECK(codeOf([&] { static_cast<void>(tool.observe(nullptr)); }) == errors::InternalError);
}

TEST_CASE("to be observed costs a flow like one before no memory", "[observe][memory]") {
    const auto costOf = [](bool observes) {
        Mutex mutex;
        Rig rig;
        std::size_t events = 0;
        Observation watching;
        if (observes)
            watching = rig.tool.observe([&](const FlowEvent&) { ++events; }, {.bodies = true});
        std::size_t before = 0;
        for (int runs = 0; runs < 2; ++runs) {
            fillWith(rig.flow, mutex);
            before = allocations::count();
            rig.flow.execute();
            rig.tool.run();
        }
        CHECK((events > 120) == observes);
        return allocations::count() - before;
    };
    CHECK(costOf(true) == costOf(false));
}

TEST_CASE("a flow of a fixed size is observed as any other", "[observe][nitro]") {
    VirtualTool tool;
    Mutex mutex;
    NitroSteps<MaxSteps<4>, MaxSyncs<1>, MaxTimeouts<1>> flow(tool);
    Lines lines;
    const Observation watching = tool.observe(into(lines));
    flow.add([&](IAsyncSteps& asi) {
        asi.add([](IAsyncSteps&) {});
        asi.sync(mutex, [](IAsyncSteps& inner) { inner.setTimeout(5); });
    });
    CHECK(run(tool, flow) == "error Timeout");
    CHECK(isWhole(lines));
    CHECK(countOf(lines, "opened") == 3);
}

TEST_CASE("a hundred thousand flows are observed", "[observe]") {
    constexpr std::size_t kFlows = 100'000;
    VirtualTool tool;
    std::size_t begun = 0;
    std::size_t ended = 0;
    std::size_t waits = 0;
    const Observation watching = tool.observe([&](const FlowEvent& event) {
        if (event.what() == "begun") ++begun;
        if (event.what() == "ended") ++ended;
        if (event.what() == "waits") ++waits;
    });
    const auto value = step([](IAsyncSteps& asi) { asi.add(delay(1)); });
    for (std::size_t i = 0; i < kFlows; ++i) tool.start(value);
    CHECK(begun == kFlows);
    tool.run();
    CHECK(waits == kFlows);
    CHECK(ended == kFlows);
}

TEST_CASE("a deep line is told without recursion, also without memory", "[observe][deep]") {
    for (const bool starves : {false, true}) {
        const std::int64_t deep = starves ? 10'000 : smallstack::kDepth;
        std::int64_t opened = 0;
        std::int64_t closed = 0;
        bool isInOrder = true;
        smallstack::run([&] {
            Rig rig;
            Completion done;
            rig.flow.add(Nested{deep, &done});
            rig.flow.execute();
            rig.tool.run();
            const Observation watching = rig.tool.observe([&](const FlowEvent& event) {
                if (event.what() == "opened") ++opened;
                if (event.what() != "closed") return;
                isInOrder = isInOrder && opened == deep + 1;
                ++closed;
            });
            done.success();
            const allocations::Failing failing(0, starves ? SIZE_MAX : 0);
            rig.tool.run();
        });
        CAPTURE(starves);
        CHECK(isInOrder);
        CHECK(opened == deep + 1);
        CHECK(closed == deep + 1);
    }
}

TEST_CASE("observing survives each allocation that fails", "[observe][memory]") {
    eachfails::check("ok", [](VirtualTool& tool, IFlow& flow) {
        struct Held {
            Mutex mutex{{.name = eachfails::kLong}};
            Observation watching;
        };
        const auto held = std::make_shared<Held>();
        const auto asks = [](const FlowEvent& event) {
            static_cast<void>(event.flowId());
            const std::string path = event.path() + event.element();
            const auto wait = event.waits();
        };
        held->watching = tool.observe(asks, {.bodies = true});
        fillWith(flow, held->mutex);
        flow.add([held](IAsyncSteps&) {});
    });
}
