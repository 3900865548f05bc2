#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cleanup.hpp"
#include "steptree/iparallel.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/shield.hpp"

using namespace rig;

namespace {

/// A step with deferred functions, in one with another; the inner step waits.
void fill(IFlow& flow, Log& log) {
    flow.add([&log](IAsyncSteps& asi) {
        asi.defer([&log](IAsyncSteps&) { log.emplace_back("outer"); });
        asi.add([&log](IAsyncSteps& inner) {
            inner.defer([&log](IAsyncSteps&) { log.emplace_back("first"); });
            inner.defer([&log](IAsyncSteps& own) {
                log.emplace_back("second");
                own.setCancel([&log](IAsyncSteps&) { log.emplace_back("second~"); });
                own.defer([&log](IAsyncSteps&) { log.emplace_back("nested"); });
                own.waitExternal();
            });
            inner.setCancel([&log](IAsyncSteps&) { log.emplace_back("inner~"); });
        });
    });
}

/// Runs it until it waits.
void begin(IFlow& flow, VirtualTool& tool, Log& log) {
    fill(flow, log);
    flow.execute();
    tool.run();
}

const Log kAtOnce{"inner~", "second", "second~", "Timeout 0/0/~1", "nested", "first", "outer"};

}  // namespace

TEST_CASE("a flow that is destroyed calls what was deferred, and waits for nothing", "[cleanup]") {
    Log log;
    VirtualTool tool;
    {
        AsyncSteps flow(tool, reporting(log));
        begin(flow, tool, log);
    }
    CHECK(log == kAtOnce);
    log.clear();
    {
        steptree::NitroSteps<steptree::MaxDefers<6>> flow(tool, reporting(log));
        begin(flow, tool, log);
    }
    CHECK(log == kAtOnce);
}

TEST_CASE("a flow that is cancelled or destroyed after its tool cleans up, and waits for nothing",
          "[cleanup]") {
    for (const bool isCancelled : {true, false}) {
        Log log;
        std::optional<VirtualTool> tool(std::in_place);
        std::optional<AsyncSteps> flow(std::in_place, *tool, reporting(log));
        begin(*flow, *tool, log);
        tool.reset();
        CHECK(log.empty());
        if (isCancelled) {
            flow->cancel();
            CHECK_FALSE(flow->running());
        } else {
            flow.reset();
        }
        CHECK(log == kAtOnce);
    }
}

TEST_CASE("a flow that is destroyed while it cleans up abandons what runs", "[cleanup]") {
    Log log;
    VirtualTool tool;
    {
        AsyncSteps flow(tool, reporting(log));
        begin(flow, tool, log);
        flow.cancel();
        tool.advance(1);
        CHECK(flow.running());
        CHECK(log == Log{"inner~", "second"});
    }
    CHECK(log == kAtOnce);
}

TEST_CASE("a flow that destroys itself in a deferred function, or in a shield, ends at once",
          "[cleanup]") {
    for (const bool shields : {false, true}) {
        Log log;
        VirtualTool tool;
        auto flow = std::make_unique<AsyncSteps>(tool, reporting(log));
        const auto die = [&flow, &log](IAsyncSteps& asi) {
            log.emplace_back("dies");
            flow.reset();
            asi.add([&log](IAsyncSteps&) { log.emplace_back("never"); });
        };
        flow->parallel()
            .add([&](IAsyncSteps& asi) {
                asi.defer([&log](IAsyncSteps&) { log.emplace_back("a"); });
                if (shields) {
                    asi.add(steptree::shield(10, die));
                } else {
                    asi.defer(die);
                }
            })
            .add([&log](IAsyncSteps& asi) {
                asi.defer([&log](IAsyncSteps&) { log.emplace_back("b"); });
                asi.waitExternal();
            });
        flow->execute();
        tool.run();
        CHECK(log == (shields ? Log{"dies", "a", "b"} : Log{"dies", "Timeout 0/|0/~1", "a", "b"}));
    }
}

TEST_CASE("a deferred function whose step is completed when its flow is destroyed is not too late",
          "[cleanup]") {
    Log log;
    VirtualTool tool;
    {
        AsyncSteps flow(tool, reporting(log));
        Completion done;
        flow.add([&](IAsyncSteps& asi) {
            asi.defer([&](IAsyncSteps& own) {
                log.emplace_back("waits");
                done = own.waitExternal();
            });
        });
        flow.execute();
        tool.advance(1);
        CHECK(done.success());
    }
    CHECK(log == Log{"waits"});
}
