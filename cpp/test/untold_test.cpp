#include <memory>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

/// Flows whose end nobody wants to know: most of them begin and end in one go.
namespace {

struct Untold {
    std::vector<std::string> unhandled;
    VirtualTool tool;
    AsyncSteps flow{tool, options()};

    steptree::Options options() {
        steptree::Options made;
        made.unhandled = [this](const std::string& code, auto&&...) { unhandled.push_back(code); };
        return made;
    }
    void run() {
        flow.execute();
        tool.run();
    }
};

}  // namespace

TEST_CASE("what the only step of a flow owns is destroyed with it", "[untold]") {
    Untold rig;
    auto held = std::make_shared<int>(0);
    for (int i = 0; i < 3; ++i) {
        rig.flow.add([held](IAsyncSteps&) {});
        rig.run();
        CHECK(held.use_count() == 1);
        CHECK_FALSE(rig.flow.running());
    }
    rig.flow.add([held](IAsyncSteps& asi) { asi.success(); });
    rig.flow.add([held](IAsyncSteps&) {});
    rig.run();
    CHECK(held.use_count() == 1);
}

TEST_CASE("and what its body has put beside itself", "[untold]") {
    Untold rig;
    auto held = std::make_shared<int>(0);
    rig.flow.add([&](IAsyncSteps& asi) { asi.stack<std::shared_ptr<int>>(held); });
    rig.run();
    CHECK(held.use_count() == 1);
    rig.flow.add([&](IAsyncSteps& asi) { asi.success(held); });
    rig.run();
    CHECK(held.use_count() == 1);
    CHECK(rig.unhandled.empty());
}

TEST_CASE("a second success() is an unhandled error, as nobody waits for the end", "[untold]") {
    Untold rig;
    rig.flow.add([](IAsyncSteps& asi) {
        asi.success();
        asi.success();
    });
    rig.run();
    CHECK(rig.unhandled == std::vector<std::string>{"InternalError"});
}
