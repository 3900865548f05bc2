#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "child.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace steptree;

/// How runs of a NitroSteps end, and how it goes itself.

TEST_CASE("what the `done` of a NitroSteps throws is its tool's to tell", "[nitro]") {
    VirtualTool tool;
    std::string told;
    tool.onError([&](const std::exception_ptr& thrown) {
        told = codeOf([&] { std::rethrow_exception(thrown); });
    });
    NitroSteps<> flow(tool);
    flow.execute([](Outcome&) { throw std::runtime_error("from done"); });
    tool.run();
    CHECK(told == "foreign from done");
}

TEST_CASE("full branches of a NitroSteps leave the ends of its runs alone", "[memory][nitro]") {
    VirtualTool tool;
    NitroSteps<MaxDones<2>> flow(tool);
    std::string log;
    const auto note = [&log](const char* run) {
        return [&log, run](Outcome& outcome) { log += run + outcome.code + ' '; };
    };
    flow.add([&](IAsyncSteps&) {
        tool.immediate([&] {
            IParallel& parallel = flow.parallel();
            for (int i = 0; i < 4; ++i) {
                parallel.add([](IAsyncSteps& asi) {
                    asi.add(
                        [](IAsyncSteps& inner) {
                            for (;;) inner.add([](IAsyncSteps&) {});
                        },
                        [](IAsyncSteps& inner, ErrorCode) { inner.success(); });
                });
            }
            flow.execute(note("second"));
        });
    });
    flow.execute(note("first"));
    tool.run();
    CHECK(log == "first second ");
}

TEST_CASE("a NitroSteps that is destroyed in another tool's callback ends the program",
          "[memory][nitro][thread]") {
    const child::Ended ended = child::inChild([] {
        AsyncTool tool;
        VirtualTool other;
        auto flow = std::make_unique<NitroSteps<>>(tool);
        flow->add([](IAsyncSteps& asi) { asi.waitExternal(); });
        flow->execute();
        other.immediate([&flow] { flow.reset(); });
        other.run();
    });
    CHECK(ended.aborted);
    CHECK(child::has(ended, "a NitroSteps is destroyed in a callback of another tool"));
}
