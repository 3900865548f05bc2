#include <functional>
#include <map>
#include <memory>
#include <string>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/delay.hpp"
#include "steptree/iparallel.hpp"
#include "steptree/isync.hpp"
#include "steptree/shield.hpp"

using namespace rig;
using steptree::delay;
using steptree::ErrorCode;
using steptree::shield;

/// Cleanups and shields take memory, not native stack.
namespace {

constexpr int kDeep = 100'000;

using Nest = std::function<void(IAsyncSteps&, int)>;

void nestIn(IAsyncSteps& asi, const Nest& nest, int left) {
    asi.add([&nest, left](IAsyncSteps& inner) { nest(inner, left - 1); });
}

}  // namespace

TEST_CASE("a hundred thousand nested steps are cleaned up, whatever ends them", "[cleanup][deep]") {
    for (const std::string end : {"ok", "error E", "cancelled ", "gone"}) {
        VirtualTool tool;
        steptree::Options options;
        options.report = [](const std::string&, const std::string&, const std::exception_ptr&,
                            const std::string&) {};
        auto flow = std::make_unique<AsyncSteps>(tool, std::move(options));
        int cleaned = 0;
        const Nest nest = [&](IAsyncSteps& asi, int left) {
            asi.defer([&cleaned, &end](IAsyncSteps& own) {
                ++cleaned;
                if (end != "gone") own.add([](IAsyncSteps&) {});
            });
            if (left > 0) return nestIn(asi, nest, left);
            if (end == "error E") asi.errorNoThrow("E");
            if (end == "cancelled " || end == "gone") asi.waitExternal();
        };
        flow->add([&](IAsyncSteps& asi) { nest(asi, kDeep); });
        std::string got = "gone";
        flow->execute([&got](Outcome& outcome) {
            got = outcome.kind == OutcomeKind::ok ? "ok" : "error " + outcome.code;
            if (outcome.kind == OutcomeKind::cancelled) got = "cancelled ";
        });
        tool.run();
        if (end == "cancelled ") flow->cancel();
        tool.run();
        if (end == "gone") flow.reset();
        CHECK(cleaned == kDeep + 1);
        CHECK(got == end);
    }
}

/// The path of each Timeout is as long as its step is deep.
TEST_CASE("closings that wait at thousands of shields go on one after another", "[cleanup][deep]") {
    constexpr int kShields = 3000;
    VirtualTool tool;
    AsyncSteps flow(tool);
    Completion done;
    int handled = 0;
    const Nest nest = [&](IAsyncSteps& asi, int left) {
        if (left == 0) {
            done = asi.waitExternal();
            return;
        }
        asi.setTimeout(5000);
        asi.add(shield(1'000'000, [&nest, left](IAsyncSteps& inner) { nestIn(inner, nest, left); }),
                [&handled](IAsyncSteps&, const std::string&) { ++handled; });
    };
    flow.add([&](IAsyncSteps& asi) { nest(asi, kShields); });
    std::string code;
    flow.execute([&code](Outcome& outcome) { code = outcome.code; });
    tool.advance(6000);
    CHECK(flow.running());
    done.success();
    tool.advance(1);
    CHECK(code == "Timeout");
    CHECK(handled == kShields - 1);
}

TEST_CASE("branches in branches that clean up are closed without recursion", "[cleanup][deep]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    int cleaned = 0;
    const Nest nest = [&](IAsyncSteps& asi, int left) {
        asi.defer([&cleaned](IAsyncSteps& own) {
            ++cleaned;
            own.add([](IAsyncSteps&) {});
        });
        if (left == 0) {
            asi.waitExternal();
            return;
        }
        asi.parallel().add([&nest, left](IAsyncSteps& inner) { nest(inner, left - 1); });
    };
    flow.add([&](IAsyncSteps& asi) { nest(asi, 20'000); });
    CHECK(run(tool, flow) == "waiting");
    CHECK(cleaned == 20'001);
    CHECK_FALSE(flow.running());
}

/// Each asks what closes it, which is thousands of lines further out.
TEST_CASE("cleanups and guards in branches in branches know what closes them",
          "[cleanup][outcome][deep]") {
    struct Guard final : steptree::ISync {
        void lock(IAsyncSteps&) override {}
        void unlock(IAsyncSteps&, const Outcome& outcome) override { ++told[outcome.reason]; }
        std::map<std::string, int> told;
    };
    constexpr int kBranches = 20'000;
    for (const std::string end : {"timeout", "wider", "cancel"}) {
        VirtualTool tool;
        AsyncSteps flow(tool);
        std::map<std::string, int> told;
        Guard guard;
        const Nest nest = [&](IAsyncSteps& asi, int left) {
            asi.defer([&told](IAsyncSteps& own, const Outcome& outcome) {
                ++told[outcome.reason];
                own.add([](IAsyncSteps&) {});
            });
            if (left == 0) {
                asi.add(shield(100'000, [](IAsyncSteps& inner) {
                    inner.defer([](IAsyncSteps& own) { own.add(delay(2000)); });
                    inner.waitExternal();
                    inner.setTimeout(30'000);
                }));
                return;
            }
            if (left % 1000 == 0 && end == "wider") asi.setTimeout(30'000 - left, "Inner");
            asi.sync(guard, [&nest, left](IAsyncSteps& inner) {
                inner.parallel().add(
                    [&nest, left](IAsyncSteps& branch) { nest(branch, left - 1); });
            });
        };
        flow.add(
            [&](IAsyncSteps& asi) {
                asi.setTimeout(29'990, "Outer");
                asi.add([&nest](IAsyncSteps& inner) { nest(inner, kBranches); });
            },
            [](IAsyncSteps& asi, ErrorCode) { asi.success(); });
        if (end == "cancel") tool.deferred(29'000, [&flow] { flow.cancel("Outer"); });
        CHECK(run(tool, flow) == (end == "cancel" ? "cancelled Outer" : "ok"));
        CHECK(told["Outer"] == kBranches + 1);
        CHECK(guard.told["Outer"] == kBranches);
    }
}

TEST_CASE("a hundred thousand branches that clean up are closed in linear time",
          "[cleanup][deep]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    int cleaned = 0;
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(20);
        asi.add([&](IAsyncSteps& inner) {
            inner.setTimeout(10);
            IParallel& branches = inner.parallel();
            for (int i = 0; i < kDeep; ++i) {
                branches.add([&cleaned](IAsyncSteps& branch) {
                    branch.defer([&cleaned](IAsyncSteps& own) {
                        own.setTimeout(100);
                        own.add([&cleaned](IAsyncSteps& last) {
                            ++cleaned;
                            last.defer([](IAsyncSteps&) {});
                        });
                    });
                    branch.waitExternal();
                });
            }
        });
    });
    CHECK(run(tool, flow) == "error Timeout");
    CHECK(cleaned == kDeep);
}
