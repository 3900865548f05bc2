#include <string>
#include <thread>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/promise.hpp"

using namespace rig;
using steptree::Promise;

namespace {

/// Waits for a promise and for a completion, which comes between the settlement and the turn.
struct Both {
    Rig rig;
    Completion done;
    Promise<> promise;

    template <class F>
    std::string run(F&& complete) {
        rig.flow.add([this](IAsyncSteps& asi) {
            done = asi.waitExternal();
            return promise.future();
        });
        rig.flow.add([](IAsyncSteps&) {});
        rig.tool.immediate([this, complete] {
            rig.tool.deferred(1, [this] { promise.success(); });
            rig.tool.deferred(1, [this, complete] { complete(*this); });
        });
        return rig.run();
    }
};

}  // namespace

TEST_CASE("a completion counts between the settlement and the line's turn", "[external]") {
    Both both;
    bool taken = false;
    bool again = true;
    CHECK(both.run([&](Both& b) {
        CHECK(b.done.valid());
        taken = b.done.success();
        again = b.done.success() || b.done.valid();
    }) == "ok");
    CHECK(taken);
    CHECK_FALSE(again);
}

TEST_CASE("a completion of another thread counts between the settlement and the line's turn",
          "[external][thread]") {
    Both both;
    bool taken = false;
    CHECK(both.run([&](Both& b) { std::thread([&] { taken = b.done.error("Late"); }).join(); }) ==
          "error Late");
    CHECK(taken);
}
