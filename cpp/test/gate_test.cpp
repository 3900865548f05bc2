#include "steptree/gate.hpp"

#include "catch.hpp"
#include "codeof.hpp"
#include "rig.hpp"
#include "steptree/barrier.hpp"

using namespace rig;
using steptree::Barrier;
using steptree::Gate;
namespace errors = steptree::errors;

TEST_CASE("a bad option of a gate or a barrier throws to the caller", "[gate]") {
    CHECK(codeOf([] { Gate gate({.maxQueue = -1}); }) == errors::InternalError);
    CHECK(codeOf([] { Gate gate({.open = false, .name = "ready"}); }) == "nothing");
    CHECK(codeOf([] { Barrier barrier({.parties = 0}); }) == errors::InternalError);
    CHECK(codeOf([] { Barrier barrier({.parties = steptree::kUnlimited}); }) ==
          errors::InternalError);
}

TEST_CASE("who waits at a gate or a barrier leaves it with its flow", "[gate][lifetime]") {
    VirtualTool tool;
    Gate gate({.open = false});
    Barrier barrier({.parties = 2});
    {
        AsyncSteps one(tool);
        AsyncSteps other(tool);
        one.add([&gate](IAsyncSteps& asi) { gate.wait(asi); });
        other.add([&barrier](IAsyncSteps& asi) { barrier.wait(asi); });
        one.execute();
        other.execute();
        tool.run();
        CHECK(gate.waiting() == 1);
        CHECK(barrier.waiting() == 1);
    }
    CHECK(gate.waiting() == 0);
    CHECK(barrier.waiting() == 0);
    gate.open();
}
