#include "steptree/nitrosteps.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "allocations.hpp"
#include "catch.hpp"
#include "child.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"

using namespace rig;
using namespace steptree;

namespace {

using Small = NitroSteps<MaxSteps<3>, MaxLoops<0>, MaxParallels<0>, MaxTimeouts<0>, MaxCancels<0>,
                         MaxAwaits<0>, MaxBranches<0>>;

/// Steps of all kinds, within the default limits.
void work(VirtualTool& tool, IFlow& flow) {
    Completion completion;
    flow.repeat(3, [](IAsyncSteps& asi) {
        asi.setTimeout(1000);
        asi.setCancel([](IAsyncSteps&) {});
        asi.add([](IAsyncSteps& inner) { inner.success(1, 2); }).add([](IAsyncSteps&, int, int) {});
    });
    flow.loop([](IAsyncSteps& asi) { asi.breakNoThrow(); });
    IParallel& parallel = flow.parallel();
    for (int i = 0; i < 4; ++i) {
        parallel.add([](IAsyncSteps& asi) {
            asi.setTimeout(10);
            asi.add([](IAsyncSteps& inner) { inner.success(7); }).add([](IAsyncSteps&, int) {});
        });
    }
    flow.add([](IAsyncSteps& asi) { asi.errorNoThrow("Refused"); },
             [](IAsyncSteps& asi, ErrorCode) { asi.success(); });
    flow.add([&completion](IAsyncSteps& asi) { completion = asi.waitExternal(); });
    bool ended = false;
    flow.execute([&ended](Outcome& outcome) { ended = outcome.kind == OutcomeKind::ok; });
    tool.run();
    completion.success();
    tool.run();
    REQUIRE(ended);
}

}  // namespace

TEST_CASE("NitroSteps take nothing from the heap once they are made", "[memory][nitro]") {
    VirtualTool tool;
    NitroSteps<> flow(tool);
    const std::size_t before = allocations::count();
    for (int i = 0; i < 5; ++i) work(tool, flow);
    CHECK(allocations::count() == before);
    static_assert(sizeof(NitroSteps<>) < 10000);
    static_assert(sizeof(NitroSteps<MaxSteps<9>, MaxCapture<8>>) ==
                  sizeof(NitroSteps<MaxCapture<8>, MaxSteps<9>>));
}

TEST_CASE("NitroSteps that go leave what was reserved of their tool to the next ones",
          "[memory][nitro]") {
    VirtualTool tool;
    std::optional<NitroSteps<>> flow(std::in_place, tool);
    const std::size_t before = allocations::count();
    for (int i = 0; i < 1000; ++i) flow.emplace(tool);
    CHECK(allocations::count() == before);
}

TEST_CASE("branches that end in their first body give their places back", "[memory][nitro]") {
    VirtualTool tool;
    NitroSteps<MaxBranches<3>> flow(tool);
    int ran = 0;
    for (int i = 0; i < 3; ++i) {
        IParallel& branches = flow.parallel();
        for (int branch = 0; branch < 3; ++branch) branches.add([&ran](IAsyncSteps&) { ++ran; });
    }
    CHECK(run(tool, flow) == "ok");
    CHECK(ran == 9);
}

TEST_CASE("a flow whose buffers are full raises OutOfSteps in the step that adds one more",
          "[memory][nitro]") {
    VirtualTool tool;
    Small flow(tool);
    std::string log;
    std::string info;
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.add(
                [&](IAsyncSteps& inner) {
                    log += "inner ";
                    try {
                        for (;;) inner.add([](IAsyncSteps&) {});
                    } catch (const StepError& e) {
                        log += e.code() + " ";
                        info = e.info();
                    }
                },
                [&](IAsyncSteps&, ErrorCode code) { log.append(code).append(" handled "); });
        },
        [&](IAsyncSteps& asi, ErrorCode code) {
            log.append(code).append(" outside");
            asi.add([](IAsyncSteps& recovery) { recovery.success(); });
        });
    CHECK(run(tool, flow) == "ok");
    CHECK(log == "inner OutOfSteps OutOfSteps handled OutOfSteps outside");
    CHECK(info.find("MaxSteps") != std::string::npos);
}

TEST_CASE("a root whose buffers are full throws OutOfSteps to the caller", "[memory][nitro]") {
    VirtualTool tool;
    Small flow(tool);
    int bodies = 0;
    const std::array<char, 40> captures{};
    for (int i = 0; i < 3; ++i)
        flow.add([&bodies, captures](IAsyncSteps&) { bodies += captures.empty() ? 0 : 1; });
    CHECK(codeOf([&] {
              for (;;) flow.add([](IAsyncSteps&) {});
          }) == errors::OutOfSteps);
    CHECK(run(tool, flow) == "ok");
    CHECK(bodies == 3);
    CHECK(codeOf([&] { flow.parallel(); }) == "nothing");
}

TEST_CASE("captures that have no place in a NitroSteps are OutOfSteps", "[memory][nitro]") {
    VirtualTool tool;
    Small flow(tool);
    const std::array<char, 500> large{};
    const std::array<char, 5000> boxed{};
    CHECK(codeOf([&] { flow.add([large](IAsyncSteps&) { static_cast<void>(large); }); }) ==
          errors::OutOfSteps);
    CHECK(codeOf([&] { flow.add([boxed](IAsyncSteps&) { static_cast<void>(boxed); }); }) ==
          errors::OutOfSteps);
    std::string info;
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.setCancel([boxed](IAsyncSteps&) { static_cast<void>(boxed); });
        },
        [&](IAsyncSteps& asi, ErrorCode) {
            info = asi.state().errorInfo();
            asi.success();
        });
    CHECK(run(tool, flow) == "ok");
    CHECK(info == "captures of 5000 bytes: expected at most 48 (MaxCapture)");
}

TEST_CASE("branches of a NitroSteps have their own places, which are used again",
          "[memory][nitro]") {
    VirtualTool tool;
    NitroSteps<MaxBranches<4>, MaxBranchSteps<2>, MaxParallels<1>> flow(tool);
    int bodies = 0;
    const auto count = [&bodies](IAsyncSteps&) { ++bodies; };
    const auto two = [count](IAsyncSteps& asi) { asi.add(count).add(count); };
    flow.repeat(5, [&](IAsyncSteps& asi) {
        asi.parallel().add(two).add(two).add(
            [&](IAsyncSteps& nested) { nested.parallel().add(count); });
    });
    CHECK(run(tool, flow) == "ok");
    CHECK(bodies == 25);
    std::string info;
    IParallel& many = flow.parallel([&info](IAsyncSteps& asi, ErrorCode code) {
        info = std::string(code) + ": " + asi.state().errorInfo();
        asi.success();
    });
    for (int i = 0; i < 5; ++i) many.add(count);
    CHECK(run(tool, flow) == "ok");
    CHECK(info == "OutOfSteps: 5 branches: 4 of 4 are left (MaxBranches)");
    flow.parallel().add([&](IAsyncSteps& asi) {
        for (int i = 0; i < 20; ++i) asi.add(count);
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    CHECK(bodies == 25);
}

TEST_CASE("a NitroSteps is gone when its destructor returns", "[memory][nitro]") {
    VirtualTool tool;
    std::string log;
    std::optional<NitroSteps<>> flow(std::in_place, tool);
    const auto wait = [&log](IAsyncSteps& asi) {
        asi.setCancel([&log](IAsyncSteps&) { log += "cancelled "; });
        asi.waitExternal();
    };
    flow->add(wait);
    flow->execute();
    tool.run();
    flow.reset();
    CHECK(log == "cancelled ");

    flow.emplace(tool).add(wait);
    flow->execute();
    AsyncSteps other(tool);
    other.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) {
            flow->cancel();
            flow.reset();
            log += "gone ";
        });
    });
    other.execute();
    tool.run();
    other.cancel();
    CHECK(log == "cancelled cancelled gone ");

    auto owned = std::make_unique<NitroSteps<>>(tool);
    owned->add([](IAsyncSteps&) {});
    owned->execute([&](Outcome&) { owned.reset(); });
    tool.run();
    CHECK(owned == nullptr);
    flow.emplace(tool).add(wait);
}

TEST_CASE("a NitroSteps may be made and destroyed on another thread", "[memory][nitro][thread]") {
    AsyncTool tool;
    int cancelled = 0;
    for (int i = 0; i < 50; ++i) {
        NitroSteps<> flow(tool);
        flow.add([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { ++cancelled; });
            asi.waitExternal();
        });
        if (i % 3 == 0) continue;
        flow.execute();
        if (i % 3 == 1) std::this_thread::yield();
    }
    CHECK(cancelled <= 33);
}

TEST_CASE("a NitroSteps that is destroyed in its own body ends the program", "[memory][nitro]") {
    const child::Ended ended = child::inChild([] {
        VirtualTool tool;
        auto flow = std::make_unique<NitroSteps<>>(tool);
        flow->add([&flow](IAsyncSteps&) { flow.reset(); });
        flow->execute();
        tool.run();
    });
    CHECK(ended.aborted);
    CHECK(child::has(ended, "a NitroSteps is destroyed in its own body or handler"));
}

TEST_CASE("a NitroSteps outlives its tool", "[memory][nitro]") {
    auto tool = std::make_unique<VirtualTool>();
    bool cancelled = false;
    NitroSteps<> flow(*tool);
    flow.add([&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { cancelled = true; }); });
    flow.execute();
    tool->run();
    tool.reset();
    flow.cancel();
    CHECK(cancelled);
}
