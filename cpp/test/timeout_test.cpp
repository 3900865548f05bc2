#include <chrono>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

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
