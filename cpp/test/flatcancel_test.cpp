#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

struct Cancels {
    IFlow* flow;
    void subscribe(const steptree::Awaiter&) {}
    void cancel() { flow->cancel("next"); }
};

void down(IAsyncSteps& asi, int levels) {
    if (levels > 0) {
        auto& inner = asi.stack<std::unique_ptr<IFlow>>(newInstance(asi));
        inner->add([levels](IAsyncSteps& step) { down(step, levels - 1); });
        inner->execute();
    }
    asi.waitExternal();
}

}  // namespace

TEST_CASE("100,000 flows that hold each other are cancelled flat", "[cancel]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) { down(asi, 100'000); });
    rig.flow.execute();
    rig.tool.run();
    rig.flow.cancel();
    CHECK_FALSE(rig.flow.running());
}

TEST_CASE("100,000 awaitables whose cancel() cancels the next flow are flat", "[cancel]") {
    VirtualTool tool;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    for (int i = 0; i <= 100'000; ++i) flows.push_back(std::make_unique<AsyncSteps>(tool));
    for (int i = 0; i < 100'000; ++i) flows[i]->await(Cancels{flows[i + 1].get()});
    flows.back()->add([](IAsyncSteps& asi) { asi.waitExternal(); });
    for (const auto& flow : flows) flow->execute();
    tool.run();
    flows.front()->cancel();
    CHECK_FALSE(flows.back()->running());
}

TEST_CASE("200,000 flows are cancelled in one cancel handler", "[cancel]") {
    Rig rig;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    for (int i = 0; i < 200'000; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(rig.tool));
        flows.back()->add([](IAsyncSteps& asi) { asi.waitExternal(); });
        flows.back()->execute();
    }
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) {
            for (const auto& flow : flows) flow->cancel();
            CHECK(flows.front()->running());
        });
    });
    rig.flow.execute();
    rig.tool.run();
    rig.flow.cancel();
    CHECK_FALSE(flows.front()->running());
    CHECK_FALSE(flows.back()->running());
}

TEST_CASE("a cancel in an error handler is performed in the call, alone", "[cancel]") {
    Rig rig;
    AsyncSteps waits(rig.tool);
    AsyncSteps other(rig.tool);
    const auto endless = [](IAsyncSteps& asi) { asi.waitExternal(); };
    waits.add(endless).execute();
    other.add(endless).execute();
    std::string seen;
    const auto state = [&] {
        seen += waits.running() ? "waits " : "- ";
        seen += other.running() ? "other|" : "-|";
    };
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.add([&](IAsyncSteps& inner) {
                inner.setCancel([&](IAsyncSteps&) { waits.cancel(); });
                inner.error("E");
            });
        },
        [&](IAsyncSteps&, steptree::ErrorCode) {
            state();
            other.cancel();
            state();
        });
    CHECK(rig.run() == "error E");
    state();
    CHECK(seen == "waits other|waits -|- -|");
}

TEST_CASE("100,000 idle flows that hold each other are destroyed flat", "[cancel]") {
    VirtualTool tool;
    int held = 0;
    struct Count {
        int& n;
        explicit Count(int& n) : n(n) { ++n; }
        ~Count() { --n; }
    };
    std::unique_ptr<IFlow> flow = std::make_unique<AsyncSteps>(tool);
    const auto wrap = [&](auto hold) {
        std::unique_ptr<IFlow> outer = flow->newInstance();
        hold(*outer, std::pair(std::make_unique<Count>(held), std::move(flow)));
        flow = std::move(outer);
    };
    for (int i = 0; i < 100'000; i += 2) {
        wrap([](IFlow& outer, auto kept) { outer.add([kept = std::move(kept)](IAsyncSteps&) {}); });
        wrap([](IFlow& outer, auto kept) { outer.state().set("kept", std::move(kept)); });
    }
    CHECK(held == 100'000);
    SECTION("with their owner") {
        flow.reset();
    }
    SECTION("by a cancel") {
        std::unique_ptr<IFlow> outer = flow->newInstance();
        outer->add([kept = std::move(flow)](IAsyncSteps&) {});
        outer->cancel();
        CHECK(held == 0);
    }
    CHECK(held == 0);
}
