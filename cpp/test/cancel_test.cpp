#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

/// An awaitable that never settles and can't be cancelled in peace.
struct Stubborn {
    void subscribe(steptree::Awaiter) {}
    void cancel() { throw std::runtime_error("no"); }
};

}  // namespace

TEST_CASE("an exception out of an awaitable's cancel goes to report", "[cancel]") {
    VirtualTool tool;
    std::vector<std::string> seen;
    steptree::Options options;
    options.report = [&](const std::string& code, const std::string& info, std::exception_ptr,
                         const std::string&) { seen.push_back(code + " " + info); };
    AsyncSteps flow(tool, std::move(options));
    const auto waitFor = [&](auto adder) {
        flow.add([&seen, adder](IAsyncSteps& asi) {
            asi.setCancel([&seen](IAsyncSteps&) { seen.push_back("outer"); });
            adder(asi);
        });
        CHECK(run(tool, flow) == "waiting");
    };
    waitFor([](IAsyncSteps& asi) { asi.await(Stubborn{}); });
    waitFor([](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) { return Stubborn{}; }); });
    CHECK(seen ==
          std::vector<std::string>{"InternalError no", "outer", "InternalError no", "outer"});
}

TEST_CASE("destroying a running root cancels it", "[cancel]") {
    VirtualTool tool;
    std::vector<int> seen;
    {
        AsyncSteps flow(tool);
        flow.add([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { seen.push_back(2); });
            asi.add([&](IAsyncSteps& inner) {
                inner.setCancel([&](IAsyncSteps&) { seen.push_back(1); });
            });
        });
        flow.execute([&](Outcome&) { seen.push_back(9); });
        tool.run();
    }
    CHECK(seen == std::vector<int>{1, 2});
    tool.run();
    CHECK(seen == std::vector<int>{1, 2});
}

TEST_CASE("a running closure survives the destruction of its root", "[cancel]") {
    struct Counted {
        std::shared_ptr<int> destroyed;
        explicit Counted(std::shared_ptr<int> d) : destroyed(std::move(d)) {}
        Counted(Counted&&) noexcept = default;
        Counted(const Counted&) = delete;
        ~Counted() {
            if (destroyed != nullptr) ++*destroyed;
        }
    };
    VirtualTool tool;
    auto destroyed = std::make_shared<int>(0);
    auto flow = std::make_optional<AsyncSteps>(tool);
    int late = 0;
    flow->add([&, counted = Counted(destroyed), text = std::string(100, 't')](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { late = *destroyed + 1; });
        flow.reset();
        CHECK(*counted.destroyed == 0);
        CHECK(text.size() == 100);
        asi.add([](IAsyncSteps&) {});
    });
    flow->add([&](IAsyncSteps&) { late = 100; });
    flow->execute();
    tool.run();
    CHECK_FALSE(flow.has_value());
    CHECK(*destroyed == 1);
    CHECK(late == 1);
}

TEST_CASE("a flow may be destroyed in its own handlers and in a cancel handler of another",
          "[cancel]") {
    VirtualTool tool;
    std::optional<AsyncSteps> own(tool);
    own->add([](IAsyncSteps& asi) { asi.error("X"); },
             [&](IAsyncSteps& asi, steptree::ErrorCode) {
                 own.reset();
                 asi.error("Y");
             });
    own->execute();
    tool.run();
    CHECK_FALSE(own.has_value());

    std::vector<std::string> seen;
    std::optional<AsyncSteps> other(tool);
    other->add(
        [&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { seen.push_back("other"); }); });
    other->execute();
    AsyncSteps flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) {
            other.reset();
            seen.push_back("own");
        });
    });
    flow.execute();
    tool.run();
    flow.cancel();
    CHECK(seen == std::vector<std::string>{"own", "other"});
}

TEST_CASE("a chain of flows that cancel each other in cancel handlers does not recurse",
          "[cancel]") {
    VirtualTool tool;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    int cancelled = 0;
    for (int i = 0; i < 20'000; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        flows.back()->add([&, i](IAsyncSteps& asi) {
            asi.setCancel([&, i](IAsyncSteps&) {
                ++cancelled;
                if (i > 0) flows[i - 1]->cancel();
            });
        });
        flows.back()->execute();
    }
    tool.run();
    flows.back()->cancel();
    CHECK(cancelled == 20'000);
}

TEST_CASE("a flow that outlives its tool still calls its cancel handlers", "[cancel]") {
    auto tool = std::make_optional<VirtualTool>();
    int called = 0;
    Completion completion;
    {
        AsyncSteps flow(*tool);
        flow.add([&](IAsyncSteps& asi) {
            completion = asi.waitExternal();
            asi.setTimeout(5);
            asi.setCancel([&](IAsyncSteps&) { ++called; });
        });
        flow.execute();
        tool->advance(1);
        tool.reset();
        CHECK_FALSE(completion.success());
    }
    CHECK(called == 1);
}

TEST_CASE("a body does not run after a value that it does not take has cancelled the flow",
          "[cancel]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    bool ran = false;
    flow.add([&](IAsyncSteps& asi) { asi.success(CancelsWhenGone(&flow)); });
    flow.add([&](IAsyncSteps&) { ran = true; });
    flow.execute();
    tool.run();
    CHECK_FALSE(ran);
    CHECK_FALSE(flow.running());
}

TEST_CASE("a signal that is stopped already cancels without the reason of the run before",
          "[signal]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    std::string reason = "none";
    const auto note = [&reason](Outcome& outcome) { reason = outcome.reason; };
    rig.flow.execute(note);
    rig.tool.run();
    rig.flow.cancel("enough");
    rig.tool.run();
    CHECK(reason == "enough");
    std::stop_source source;
    source.request_stop();
    rig.flow.execute(note, source.get_token());
    rig.tool.run();
    CHECK(reason.empty());
}

TEST_CASE("a flow that finds no memory for the reason is cancelled without one", "[cancel]") {
    Rig rig;
    std::string end = "waiting";
    rig.flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    rig.flow.execute([&end](Outcome& outcome) {
        if (outcome.kind == OutcomeKind::cancelled) end = "cancelled " + outcome.reason;
    });
    rig.tool.run();
    {
        const std::string reason(100, 'x');
        const allocations::Failing failing(0, 1);
        rig.flow.cancel(reason);
    }
    rig.tool.run();
    CHECK(end == "cancelled ");
}
