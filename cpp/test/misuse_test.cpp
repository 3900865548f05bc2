#ifndef NDEBUG
#define NDEBUG
#endif
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

TEST_CASE("misuse is detected with NDEBUG defined", "[misuse]") {
    Rig rig;
    std::vector<std::string> seen;
    rig.flow.add([&](IAsyncSteps& outer) {
        seen.push_back(codeOf([&] { rig.flow.add([](IAsyncSteps&) {}); }));
        seen.push_back(codeOf([&] { rig.flow.execute(); }));
        seen.push_back(codeOf([&] { rig.flow.promise(); }));
        seen.push_back(codeOf([&] { rig.tool.run(); }));
        outer.add([&](IAsyncSteps&) {
            seen.push_back(codeOf([&] { outer.add([](IAsyncSteps&) {}); }));
            seen.push_back(codeOf([&] { outer.success(); }));
            seen.push_back(codeOf([&] { outer.success(1); }));
            seen.push_back(codeOf([&] { outer.error("X"); }));
            seen.push_back(codeOf([&] { outer.errorNoThrow("X"); }));
            seen.push_back(codeOf([&] { outer.breakLoop(); }));
            seen.push_back(codeOf([&] { outer.continueNoThrow(); }));
            seen.push_back(codeOf([&] { outer.setTimeout(1); }));
            seen.push_back(codeOf([&] { outer.setCancel([](IAsyncSteps&) {}); }));
            seen.push_back(codeOf([&] { outer.waitExternal(); }));
            seen.push_back(codeOf([&] { outer.newInstance(); }));
            seen.push_back(codeOf([&] { outer.stack<int>(1); }));
            seen.push_back(codeOf([&] { outer.parallel(); }));
            CHECK_FALSE(outer.valid());
            outer.state<int>("readable", 1);
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<std::string>(17, "InternalError"));
    CHECK(rig.flow.state<int>("readable") == 1);
}
