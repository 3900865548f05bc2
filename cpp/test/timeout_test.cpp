#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/remaining.hpp"

using namespace rig;
using namespace std::chrono_literals;

namespace {

/// When a step with this timeout times out, on a tool whose time starts at 0; -1 if never.
template <class Time>
std::int64_t firesAt(Time time) {
    Rig rig;
    rig.flow.add([&](IAsyncSteps& asi) { asi.setTimeout(time); });
    return rig.run() == "error Timeout" ? rig.tool.now() : -1;
}

template <class Time>
std::string refused(Time time) {
    Rig rig;
    std::string code;
    rig.flow.add([&](IAsyncSteps& asi) { code = codeOf([&] { asi.setTimeout(time); }); });
    CHECK(rig.run() == "ok");
    return code;
}

}  // namespace

TEST_CASE("a fraction of a millisecond is rounded up", "[timeout]") {
    CHECK(firesAt(1200us) == 2);
    CHECK(firesAt(1ns) == 1);
    CHECK(firesAt(1.2) == 2);
    CHECK(firesAt(0.0) == 0);
}

TEST_CASE("setTimeout takes any chrono duration", "[timeout]") {
    CHECK(firesAt(2s) == 2000);
    CHECK(firesAt(3ms) == 3);
    CHECK(firesAt(3000us) == 3);
    CHECK(firesAt(std::chrono::duration<double>(0.25)) == 250);
    CHECK(firesAt(std::chrono::duration<int, std::ratio<60>>(2)) == 120'000);
    CHECK(firesAt(7u) == 7);
    CHECK(firesAt(std::numeric_limits<double>::infinity()) == -1);
    CHECK(firesAt(std::chrono::hours::max()) == -1);
    CHECK(firesAt(std::numeric_limits<std::uint64_t>::max()) == -1);
}

TEST_CASE("what is no duration is refused", "[timeout]") {
    CHECK(refused(-1) == "InternalError");
    CHECK(refused(-0.5) == "InternalError");
    CHECK(refused(-1ns) == "InternalError");
    CHECK(refused(-1500us) == "InternalError");
    CHECK(refused(std::numeric_limits<double>::quiet_NaN()) == "InternalError");
    CHECK(refused(-std::numeric_limits<double>::infinity()) == "InternalError");
    CHECK(refused(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())) ==
          "InternalError");
}

TEST_CASE("a timer's code may be of any length, and is copied", "[timeout]") {
    for (const std::size_t length : {1u, 15u, 16u, 5000u}) {
        Rig rig;
        rig.flow.add([&](IAsyncSteps& asi) {
            std::string code(length, 'x');
            asi.setTimeout(5ms, code);
            code.assign(length, 'y');
            asi.stack<std::string>(length, 'z');
            asi.waitExternal();
        });
        CHECK(rig.run() == "error " + std::string(length, 'x'));
    }
}

TEST_CASE("a timer that is set again and again with codes takes little memory", "[timeout]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    std::size_t taken = 0;
    flow.add([&](IAsyncSteps& asi) {
        const std::size_t before = allocations::bytes();
        for (int i = 0; i < 10'000; ++i) {
            asi.setTimeout(5, i % 2 == 0 ? "A" : "a longer code");
            asi.setTimeout(5);
            asi.setTimeout(5, "Last");
        }
        taken = allocations::bytes() - before;
    });
    CHECK(run(tool, flow) == "error Last");
    CHECK(taken < 4000);
}

TEST_CASE("a refused code leaves the timer as it was", "[timeout]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) {
        asi.setTimeout(5, "First");
        CHECK(codeOf([&] { asi.setTimeout(9, ""); }) == "InternalError");
        CHECK(codeOf([&] { asi.setTimeout(-1, "Second"); }) == "InternalError");
        CHECK(remaining(asi) == 5ms);
    });
    CHECK(rig.run() == "error First");
}

TEST_CASE("a NitroSteps without room for a code raises OutOfSteps, and sets no timer",
          "[timeout][nitro]") {
    VirtualTool tool;
    steptree::NitroSteps<> flow(tool);
    flow.add([&](IAsyncSteps& asi) {
        CHECK(codeOf([&] { asi.setTimeout(5, std::string(4000, 'x')); }) == "OutOfSteps");
        CHECK(tool.armedTimers() == 0);
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    flow.add([](IAsyncSteps& asi) { asi.setTimeout(5, "Short"); });
    CHECK(run(tool, flow) == "error Short");
}

TEST_CASE("what was waited for goes on with the error that is thrown again", "[timeout]") {
    Rig rig;
    std::string waits;
    rig.flow.add([](IAsyncSteps& asi) { asi.error("Other"); },
                 [&](IAsyncSteps& asi, steptree::ErrorCode) {
                     waits = asi.state().lastError()->waits();
                     asi.success();
                 });
    rig.flow.add(
        [](IAsyncSteps& asi) {
            asi.add(
                [](IAsyncSteps& limited) {
                    limited.setTimeout(5);
                    limited.add([](IAsyncSteps& inner) { inner.waitExternal(); });
                },
                [](IAsyncSteps& limited, steptree::ErrorCode) {
                    throw steptree::StepError(*limited.state().lastError());
                });
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) {
            CHECK(waits.empty());
            waits = asi.state().lastError()->waits();
        });
    CHECK(rig.run() == "error Timeout");
    CHECK(waits == "1/0/0 step: waits for its completion");
}

TEST_CASE("what was waited for is looked for however many lines there are", "[timeout]") {
    Rig rig;
    std::string waits;
    rig.flow.add(
        [](IAsyncSteps& asi) {
            asi.setTimeout(5);
            steptree::IParallel& branches = asi.parallel();
            for (int i = 0; i < 20'000; ++i)
                branches.add([](IAsyncSteps& inner) { inner.waitExternal(); });
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) { waits = asi.state().lastError()->waits(); });
    CHECK(rig.run() == "error Timeout");
    CHECK(waits == "0/0/|0 step: waits for its completion, and 19999 more");
}
