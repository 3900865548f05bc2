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
        seen.push_back(codeOf([&] { static_cast<void>(rig.flow.promise()); }));
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
            seen.push_back(codeOf([&] { newInstance(outer); }));
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

TEST_CASE("misuse says why the accessor is not valid", "[misuse]") {
    Rig rig;
    std::vector<std::string> seen;
    const auto ask = [&](IAsyncSteps& asi) {
        try {
            asi.add([](IAsyncSteps&) {});
        } catch (const StepError& error) {
            seen.push_back(error.info());
        }
    };
    IAsyncSteps* waiting = nullptr;
    Completion completion;
    rig.flow.add([&](IAsyncSteps& outer) {
        outer.setCancel(ask);
        outer.add([&](IAsyncSteps&) { ask(outer); });
        outer.add([&](IAsyncSteps& asi) {
            waiting = &asi;
            completion = asi.waitExternal();
        });
    });
    rig.flow.execute();
    rig.tool.run();
    ask(*waiting);
    completion.success();
    ask(*waiting);
    rig.flow.cancel();
    const std::string begin = "adding a step: the accessor is not valid: ";
    CHECK(seen == std::vector<std::string>{begin + "its inner steps run", begin + "it waits",
                                           begin + "its outcome is known",
                                           begin + "it is in a cancel handler"});
}
