#include <chrono>
#include <limits>
#include <string>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace std::chrono_literals;

namespace {

/// When the step after a delay runs, on a tool whose time starts at 0; -1 if never.
template <class Time>
std::int64_t endsAt(Time time) {
    Rig rig;
    rig.flow.add(delay(time));
    return rig.run() == "ok" ? rig.tool.now() : -1;
}

template <class Time>
std::string refused(Time time) {
    Rig rig;
    std::string code = codeOf([&] { rig.flow.add(delay(time)); });
    CHECK(rig.run() == "ok");
    return code;
}

}  // namespace

TEST_CASE("a delay takes what setTimeout takes", "[flow]") {
    CHECK(endsAt(2s) == 2000);
    CHECK(endsAt(1200us) == 2);
    CHECK(endsAt(7u) == 7);
    CHECK(endsAt(1.2) == 2);
    CHECK(endsAt(0) == 0);
    CHECK(endsAt(std::chrono::hours::max()) == -1);
    CHECK(endsAt(std::numeric_limits<double>::infinity()) == -1);
    CHECK(refused(-1) == "InternalError");
    CHECK(refused(-1ns) == "InternalError");
    CHECK(refused(std::numeric_limits<double>::quiet_NaN()) == "InternalError");
}

TEST_CASE("a NitroSteps has room for delays as for timeouts", "[flow][nitro]") {
    VirtualTool tool;
    using namespace steptree;
    using Nitro =
        NitroSteps<MaxSteps<4>, MaxCapture<8>, MaxLoops<0>, MaxParallels<1>, MaxCancels<0>,
                   MaxAwaits<0>, MaxTimeouts<3>, MaxBranches<1>, MaxBranchSteps<1>>;
    Nitro flow(tool);
    flow.add(delay(5)).add(delay(5ms)).add(race(delay(1)));
    CHECK(run(tool, flow) == "ok");
    CHECK(tool.now() == 11);
}
