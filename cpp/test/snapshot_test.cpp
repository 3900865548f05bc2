#include "steptree/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "eachfails.hpp"
#include "fakeclock.hpp"
#include "smallstack.hpp"
#include "steptree/breaker.hpp"
#include "steptree/channel.hpp"
#include "steptree/delay.hpp"
#include "steptree/gate.hpp"
#include "steptree/keyed.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/observe.hpp"
#include "steptree/run.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/scope.hpp"

using namespace rig;
using namespace steptree;

namespace {

void wait(IAsyncSteps& asi) {
    asi.waitExternal();
}

std::string textOf(const LineSnapshot& line) {
    std::string text;
    for (const StepSnapshot& step : line.steps) text += step.element + " " + step.kind + "/";
    if (line.waits) text += line.waits->what;
    for (const LineSnapshot& inside : line.lines) text += "(" + textOf(inside) + ")";
    return text;
}

std::string textOf(const Snapshot& snapshot) {
    std::string text = std::to_string(snapshot.time);
    for (const FlowSnapshot& flow : snapshot.flows) {
        text += " " + std::to_string(flow.id) + flow.name + flow.state;
        if (flow.line) text += textOf(*flow.line);
    }
    for (const GuardSnapshot& guard : snapshot.guards) {
        text += " " + std::to_string(guard.id) + guard.kind + guard.name;
        for (const auto& [flow, path] : guard.holders) text += std::to_string(flow) + path;
    }
    return text;
}

/// Where a step is open in another one, `depth` times, or a branch; the innermost waits.
struct Nested {
    std::int64_t left;
    bool branches;

    void operator()(IAsyncSteps& asi) const {
        if (left == 0) return wait(asi);
        if (branches) {
            asi.parallel().add(Nested{left - 1, branches});
        } else {
            asi.add(Nested{left - 1, branches});
        }
    }
};

}  // namespace

TEST_CASE("a snapshot is data that nothing changes", "[snapshot]") {
    Mutex mutex({.name = "db"});
    Channel<int> jobs({.capacity = 0, .name = "jobs"});
    VirtualTool tool;
    const auto policy = std::make_shared<const Options>(Options{.name = "client"});
    Scope scope(tool, policy);
    const std::stop_source stop;
    const auto work = step([&](IAsyncSteps& asi) {
        asi.setTimeout(50);
        asi.sync(mutex, [](IAsyncSteps& inner) { inner.add(&wait); });
    });
    scope.start(work, {.signal = stop.get_token(), .options = policy});
    scope.start(work);
    tool.start(parallel(step(&wait), step([&](IAsyncSteps& asi) { jobs.send(asi, 1); })));
    tool.advance(10);

    const Snapshot seen = tool.snapshot();
    const std::string text = textOf(seen);
    REQUIRE(seen.flows.size() == 3);
    const FlowSnapshot& first = seen.flows[0];
    CHECK(first.name == "client");
    CHECK(first.state == "running");
    CHECK(first.signal);
    CHECK(first.deadline == 40);
    REQUIRE(first.line->steps.size() == 3);
    CHECK(first.line->steps[0].timeout == 40);
    CHECK(textOf(*first.line) == "0 step/0 sync/0 step/completion");
    CHECK(textOf(*seen.flows[1].line) == "0 step/0 sync/guard");
    CHECK(seen.flows[1].line->waits->place == 1);
    CHECK(textOf(*seen.flows[2].line) == "0 parallel/(|0 step/completion)(|1 step/0 step/send)");
    CHECK(seen.flows[2].name.empty());
    REQUIRE(seen.guards.size() == 1);
    CHECK(seen.guards[0].holders[0].flow == first.id);
    CHECK(seen.guards[0].holders[0].path == "0/0/0");

    scope.close();
    tool.advance(10);
    CHECK(textOf(seen) == text);
    Snapshot copy = seen;
    CHECK(textOf(copy) == text);
    copy.flows[0].line = *copy.flows[2].line;
    CHECK(textOf(*copy.flows[0].line) == textOf(*seen.flows[2].line));
    CHECK(tool.snapshot().flows.size() == 1);
}

TEST_CASE("flows and guards keep the numbers that no others have", "[snapshot]") {
    std::array<VirtualTool, 2> tools;
    std::array<Mutex, 2> mutexes;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    for (VirtualTool& tool : tools) {
        for (Mutex& mutex : mutexes) {
            flows.push_back(std::make_unique<AsyncSteps>(tool));
            flows.back()->sync(mutex, &wait);
            flows.back()->execute();
        }
        tool.run();
    }
    const auto ids = [&] {
        std::vector<std::uint64_t> all;
        for (const VirtualTool& tool : tools) {
            const Snapshot seen = tool.snapshot();
            for (const auto& flow : seen.flows) all.push_back(flow.id);
            for (const auto& guard : seen.guards) all.push_back(guard.id);
        }
        return all;
    };
    const auto first = ids();
    CHECK(first.size() == 8);
    // Each mutex is waited for on the second tool.
    CHECK(std::set(first.begin(), first.end()).size() == 6);
    CHECK(ids() == first);
    CHECK(flows[0]->snapshot().id == first[0]);
}

TEST_CASE("while somebody observes it says how old flows are, and how long lines have waited",
          "[snapshot]") {
    VirtualTool tool;
    const auto wait = [](IAsyncSteps& asi) { asi.waitExternal(); };
    AsyncSteps older(tool);
    older.add(wait).execute();
    tool.run();
    AsyncSteps flow(tool);
    {
        const Observation watching = tool.observe([](const FlowEvent&) {});
        flow.add(delay(3)).add([wait](IAsyncSteps& asi) {
            IParallel& branches = asi.parallel();
            branches.add(wait);
            branches.add([wait](IAsyncSteps& branch) { branch.add(delay(4)).add(wait); });
        });
        flow.execute();
        CHECK(flow.snapshot().age == 0);
        CHECK_FALSE(flow.snapshot().line->waits->since);
        tool.start(delay(20));
        tool.run();
        const std::vector<FlowSnapshot> flows = tool.snapshot().flows;
        REQUIRE(flows.size() == 2);
        CHECK_FALSE(flows[0].age);
        CHECK_FALSE(flows[0].line->waits->since);
        CHECK(flows[1].age == 20);
        CHECK_FALSE(flows[1].line->waits);
        CHECK(flows[1].line->lines.at(0).waits->since == 17);
        CHECK(flows[1].line->lines.at(1).waits->since == 13);
    }
    CHECK_FALSE(flow.snapshot().age);
    CHECK_FALSE(flow.snapshot().line->lines.at(0).waits->since);
}

TEST_CASE("a snapshot is of one moment", "[snapshot]") {
    FakeClock clock;
    AsyncTool tool(AsyncTool::Driven{.clock = &clock});
    const Observation watching = tool.observe([](const FlowEvent&) {});
    std::array<AsyncSteps, 3> flows{AsyncSteps(tool), AsyncSteps(tool), AsyncSteps(tool)};
    for (AsyncSteps& flow : flows) flow.add(wait).execute();
    tool.iterate();
    clock.perReading = 1'000'000;
    const auto begunIn = [](const Snapshot& shown) {
        std::vector<std::int64_t> begun;
        for (const FlowSnapshot& flow : shown.flows) {
            begun.push_back(shown.time - flow.age.value());
            begun.push_back(shown.time - flow.line->waits->since.value());
        }
        return begun;
    };
    CHECK(begunIn(tool.snapshot()) == std::vector<std::int64_t>(6, 0));
    CHECK(begunIn(tool.snapshot()) == std::vector<std::int64_t>(6, 0));
}

TEST_CASE("a flow of a fixed size is shown as any other", "[snapshot][nitro]") {
    VirtualTool tool;
    Gate gate({.open = false, .name = "ready"});
    NitroSteps<MaxSteps<8>, MaxSyncs<2>, MaxTimeouts<1>> flow(tool, {.name = "nitro"});
    CHECK(flow.snapshot().state == "idle");
    CHECK_FALSE(flow.snapshot().line);
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(5);
        asi.sync(gate, &wait);
    });
    flow.execute();
    tool.advance(1);
    const FlowSnapshot seen = flow.snapshot();
    CHECK(seen.name == "nitro");
    CHECK(seen.deadline == 4);
    CHECK(textOf(*seen.line) == "0 step/0 sync/guard");
    CHECK(seen.line->waits->kind == "gate");
    flow.cancel();
}

TEST_CASE("a tool that goes shows no flows", "[snapshot]") {
    std::vector<std::size_t> seen;
    {
        VirtualTool tool;
        const auto asks = step([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { seen.push_back(tool.snapshot().flows.size()); });
            asi.waitExternal();
        });
        tool.start(asks);
        tool.start(asks);
        tool.run();
        CHECK(tool.snapshot().flows.size() == 2);
    }
    CHECK(seen == std::vector<std::size_t>{0, 0});
}

TEST_CASE("a hundred thousand levels are shown, copied and dropped without recursion",
          "[snapshot][deep]") {
    constexpr std::int64_t kDeep = 100'000;
    std::array<std::size_t, 2> levels{};
    std::array<std::string, 2> waits;
    smallstack::run([&] {
        for (const bool branches : {false, true}) {
            Rig rig;
            rig.flow.add(Nested{kDeep, branches});
            rig.flow.execute();
            rig.tool.run();
            const Snapshot first = rig.tool.snapshot();
            const Snapshot seen = first;
            const LineSnapshot* line = &*seen.flows[0].line;
            levels[branches] = line->steps.size();
            while (!line->lines.empty()) {
                line = line->lines.data();
                levels[branches] += line->steps.size();
            }
            waits[branches] = line->waits->what;
            rig.flow.cancel();
        }
    });
    CHECK(levels[0] == kDeep + 1);
    CHECK(levels[1] == 2 * kDeep + 1);
    CHECK(waits[0] == "completion");
    CHECK(waits[1] == "completion");
}

TEST_CASE("what a snapshot costs grows as flows do, and each has its place", "[snapshot]") {
    const auto costOf = [](std::int64_t count) {
        VirtualTool tool;
        Mutex mutex;
        std::vector<std::unique_ptr<AsyncSteps>> flows;
        for (std::int64_t i = 0; i <= count; ++i) {
            flows.push_back(std::make_unique<AsyncSteps>(tool));
            flows.back()->sync(mutex, &wait);
            flows.back()->execute();
        }
        tool.run();
        const std::size_t before = allocations::count();
        const Snapshot seen = tool.snapshot();
        const std::size_t cost = allocations::count() - before;
        std::int64_t place = 0;
        bool inOrder = true;
        for (std::size_t i = 1; i < seen.flows.size(); ++i)
            inOrder = inOrder && seen.flows[i].line->waits->place == ++place;
        CHECK(inOrder);
        CHECK(place == count);
        CHECK(seen.guards[0].waiting == count);
        CHECK(seen.guards[0].holders.size() == 1);
        while (!flows.empty()) flows.pop_back();  // the last first: nobody else gets the lock
        return cost;
    };
    const std::size_t ten = costOf(10'000);
    const std::size_t hundred = costOf(100'000);
    CHECK(hundred < 11 * ten);
}

TEST_CASE("snapshots survive each allocation that fails", "[snapshot][memory]") {
    eachfails::check("ok", [](VirtualTool& tool, IFlow& flow) {
        struct Held {
            Mutex mutex{{.name = eachfails::kLong}};
            Limiter limiter{{.concurrent = 1}};
            RwLock lock;
            Gate gate{{.open = false}};
            int failed = 0;
        };
        const auto held = std::make_shared<Held>();
        flow.add([held, &tool](IAsyncSteps& asi) {
            asi.setTimeout(50);
            asi.sync(held->mutex, [held, &tool](IAsyncSteps& inner) {
                IParallel& branches = inner.parallel();
                branches.sync(held->limiter, [held, &tool](IAsyncSteps& in) {
                    const Completion done = in.waitExternal();
                    tool.deferred(1, [held, done, &tool] {
                        try {
                            const Snapshot seen = tool.snapshot();
                            const Snapshot copy = seen;
                        } catch (const std::bad_alloc&) {
                            ++held->failed;
                        }
                        held->gate.open();
                        done.success();
                    });
                });
                branches.sync(held->limiter, [](IAsyncSteps&) {});
                branches.sync(held->gate, [](IAsyncSteps&) {});
                branches.sync(held->lock.read, [&tool](IAsyncSteps&) { tool.snapshot(); });
            });
        });
    });
}
