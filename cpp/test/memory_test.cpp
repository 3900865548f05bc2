#include <malloc.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

/// What a flow of every kind of step does once.
void work(VirtualTool& tool) {
    AsyncSteps flow(tool);
    Completion completion;
    flow.add([](IAsyncSteps& asi) {
        asi.setTimeout(1000);
        asi.setCancel([](IAsyncSteps&) {});
        asi.add([](IAsyncSteps& inner) { inner.success(1, 2); }).add([](IAsyncSteps&, int, int) {});
    });
    flow.repeat(5, [](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
    flow.loop([](IAsyncSteps& asi) { asi.breakNoThrow(); });
    IParallel& parallel = flow.parallel();
    for (int i = 0; i < 5; ++i)
        parallel.add([](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
    flow.add([&](IAsyncSteps& asi) { completion = asi.waitExternal(); });
    flow.execute();
    tool.run();
    completion.success();
    tool.run();
    REQUIRE_FALSE(flow.running());
}

}  // namespace

TEST_CASE("steps cost no allocation after the first ones", "[memory]") {
    VirtualTool tool;
    for (int i = 0; i < 100; ++i) work(tool);
    const std::size_t before = allocations::count();
    for (int i = 0; i < 100; ++i) work(tool);
    CHECK(allocations::count() == before);
}

TEST_CASE("an endless loop of steps takes no more memory the longer it runs", "[memory]") {
    Rig rig;
    int rounds = 0;
    std::size_t before = 0;
    rig.flow.loop([&](IAsyncSteps& asi) {
        if (++rounds == 1000) before = allocations::count();
        if (rounds == 100'000) asi.breakLoop();
        for (int i = 0; i < 20; ++i) asi.add([](IAsyncSteps&) {});
    });
    CHECK(rig.run() == "ok");
    CHECK(allocations::count() - before <= 2);
}

TEST_CASE("a million flows leave no memory behind", "[memory]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int kBatches = 2;
#else
    constexpr int kBatches = 100;
#endif
    const std::size_t before = mallinfo2().uordblks;
    std::size_t after = 0;
    {
        VirtualTool tool;
        for (int batch = 0; batch < kBatches; ++batch) {
            std::vector<std::unique_ptr<AsyncSteps>> flows;
            for (int i = 0; i < 10'000; ++i) {
                flows.push_back(std::make_unique<AsyncSteps>(tool));
                flows.back()->add(
                    [i](IAsyncSteps& asi) {
                        if (i % 3 == 0) asi.waitExternal();
                        asi.add([i](IAsyncSteps& inner) {
                            if (i % 3 == 1) inner.errorNoThrow("X");
                        });
                    },
                    [](IAsyncSteps& asi, steptree::ErrorCode) { asi.success(); });
                flows.back()->execute();
            }
            tool.run();
        }
        after = mallinfo2().uordblks;
    }
    CHECK(mallinfo2().uordblks <= before + 64 * 1024);
    CHECK(after >= before);
}

TEST_CASE("a waiting flow takes at most 320 bytes and a slot", "[memory]") {
    VirtualTool tool;
    constexpr int kFlows = 30'000;
    std::vector<std::unique_ptr<AsyncSteps>> flows(kFlows);
    for (auto& flow : flows) flow = std::make_unique<AsyncSteps>(tool);
    const auto start = [&](bool external) {
        for (auto& flow : flows) {
            flow->add([external](IAsyncSteps& asi) {
                if (external) asi.waitExternal();
            });
            flow->execute();
        }
        tool.run();
    };
    start(false);
    const std::size_t before = allocations::count();
    start(true);
    CHECK(allocations::count() - before < 1000);  // slabs of slots only
}
