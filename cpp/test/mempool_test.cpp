#include <malloc.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "pools.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

struct Captures {
    Captures() noexcept {}
    std::array<char, 300> bytes;
};

/// Flows of every kind of step, one of them many blocks large.
void fill(VirtualTool& tool, IFlow& flow) {
    for (int i = 0; i < 20; ++i) flow.add([captures = Captures{}](IAsyncSteps&) {});
    flow.add([](IAsyncSteps& asi) {
        asi.setTimeout(1000);
        asi.setCancel([captures = Captures{}](IAsyncSteps&) {});
        asi.add([](IAsyncSteps& inner) { inner.success(1, 2); }).add([](IAsyncSteps&, int, int) {});
    });
    flow.repeat(5, [](IAsyncSteps& asi) { asi.add([captures = Captures{}](IAsyncSteps&) {}); });
    IParallel& parallel = flow.parallel();
    for (int i = 0; i < 200; ++i) {
        parallel.add([i](IAsyncSteps& asi) {
            asi.add([i](IAsyncSteps& inner) { inner.success(i); })
                .add([captures = Captures{}](IAsyncSteps&, int) {});
        });
    }
    flow.add([&tool](IAsyncSteps& asi) {
        tool.deferred(1, [done = asi.waitExternal()] { done.success(5); });
    });
}

std::string runOnce(VirtualTool& tool) {
    AsyncSteps flow(tool);
    fill(tool, flow);
    return run(tool, flow);
}

/// Sets STEPTREE_MEMPOOL while it lives.
struct PoolsOff {
    PoolsOff() { ::setenv("STEPTREE_MEMPOOL", "off", 1); }
    ~PoolsOff() { ::unsetenv("STEPTREE_MEMPOOL"); }
};

}  // namespace

TEST_CASE("all blocks of a flow come from its tool's pool and go back there", "[memory]") {
    pools::Counting pool;
    {
        VirtualTool tool(&pool);
        CHECK(runOnce(tool) == "ok");
        CHECK(pool.live.empty());
        const std::size_t calls = pool.calls;
        CHECK(calls > 20);
        AsyncSteps flow(tool);
        fill(tool, flow);
        flow.execute();
        tool.advance(0);
        CHECK(flow.running());
    }
    CHECK(pool.live.empty());
    CHECK(pool.wrong == 0);
}

TEST_CASE("the block that an iteration takes serves the next ones", "[memory]") {
    pools::Counting pool;
    VirtualTool tool(&pool);
    AsyncSteps flow(tool);
    flow.repeat(100, [](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
    const std::size_t before = pool.calls;
    flow.execute();
    tool.run();
    CHECK(pool.calls == before + 1);
}

TEST_CASE("the blocks of a level that is over go back while the flow goes on", "[memory]") {
    pools::Counting pool;
    VirtualTool tool(&pool);
    AsyncSteps flow(tool);
    std::size_t most = 0;
    std::size_t left = 0;
    flow.add([&](IAsyncSteps& asi) {
        asi.add([&](IAsyncSteps& inner) {
            for (int i = 0; i < 60; ++i) inner.add([captures = Captures{}](IAsyncSteps&) {});
            most = pool.live.size();
        });
        asi.add([&](IAsyncSteps&) { left = pool.live.size(); });
    });
    flow.execute();
    tool.run();
    CHECK(most >= 5);
    CHECK(left <= 3);
}

TEST_CASE("an error that outlives its tool holds nothing of a pool of one's own", "[memory]") {
    pools::Counting pool;
    std::exception_ptr kept;
    {
        VirtualTool tool(&pool);
        AsyncSteps flow(tool);
        flow.add([](IAsyncSteps& asi) { asi.error("Kept"); });
        flow.execute([&kept](Outcome& outcome) { kept = outcome.error; });
        tool.run();
    }
    CHECK(pool.live.empty());
    CHECK(codeOf([&] { std::rethrow_exception(kept); }) == "Kept");
}

TEST_CASE("with a pool a warm tool's flows leave the heap alone", "[memory]") {
    pools::Counting pool;
    VirtualTool tool(&pool);
    const auto heapCalls = [&tool, &pool] {
        AsyncSteps flow(tool);
        const std::size_t before = allocations::count();
        const std::size_t calls = pool.calls;
        flow.repeat(10, [](IAsyncSteps& asi) {
            asi.setTimeout(10);
            asi.setCancel([captures = Captures{}](IAsyncSteps&) {});
            for (int i = 0; i < 10; ++i) asi.add([captures = Captures{}](IAsyncSteps&) {});
        });
        flow.execute();
        tool.run();
        // The pool's own book is one allocation a block.
        return allocations::count() - before - (pool.calls - calls);
    };
    heapCalls();
    CHECK(heapCalls() == 0);
}

TEST_CASE("a pool that has nothing left fails the call that needs it, and nothing leaks",
          "[memory]") {
    for (const std::size_t times : {std::size_t{1}, std::size_t{2}, std::size_t{1'000'000}}) {
        std::size_t k = 0;
        for (bool happened = true; happened; ++k) {
            pools::Counting pool;
            pool.failAfter = k;
            pool.failing = times;
            std::string end;
            {
                VirtualTool tool(&pool);
                try {
                    end = runOnce(tool);
                } catch (const std::bad_alloc&) {
                    end = "bad_alloc";
                }
            }
            happened = pool.failed > 0;
            CAPTURE(k, times, end);
            REQUIRE(pool.live.empty());
            REQUIRE(pool.wrong == 0);
            REQUIRE((end == "bad_alloc" || end == "error InternalError" || !happened));
        }
        CHECK(k > 20);
    }
}

TEST_CASE("STEPTREE_MEMPOOL=off makes each block an allocation of its own", "[memory]") {
    const PoolsOff off;
    VirtualTool tool;
    CHECK(runOnce(tool) == "ok");
    const std::size_t before = allocations::live();
    for (std::size_t i = 1; i < 10; ++i) {
        const AsyncSteps flow(tool);
        CHECK(allocations::live() == before + 1);
    }
    CHECK(runOnce(tool) == "ok");
    CHECK(allocations::live() == before);
}

TEST_CASE("a tool asks its pool to release memory, on its own thread only", "[memory][thread]") {
    pools::Counting pool;
    VirtualTool tool(&pool);
    tool.releaseMemory();
    CHECK(pool.released == 1);
    std::string code;
    std::thread([&] { code = codeOf([&] { tool.releaseMemory(); }); }).join();
    CHECK(code == "InternalError");
    CHECK(pool.released == 1);
}

TEST_CASE("releaseMemory gives back what no flow uses, and flows keep theirs", "[memory]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr int kFlows = 3'000;
#else
    constexpr int kFlows = 300'000;
#endif
    VirtualTool tool;
    CHECK(runOnce(tool) == "ok");
    tool.releaseMemory();
    const std::size_t before = allocations::live();
    const std::size_t bytes = mallinfo2().uordblks;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    int bodies = 0;
    for (int i = 0; i < kFlows; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        flows.back()->add([&bodies, captures = Captures{}](IAsyncSteps& asi) {
            asi.add([&bodies](IAsyncSteps&) { ++bodies; });
        });
    }
    for (auto& flow : flows) flow->execute();
    tool.run();
    CHECK(bodies == kFlows);
    // One in a thousand stays, idle, and runs again afterwards.
    std::vector<std::unique_ptr<AsyncSteps>> staying;
    for (int i = 0; i < kFlows; i += 1000) staying.push_back(std::move(flows[i]));
    for (auto& flow : staying) flow->add([&bodies](IAsyncSteps&) { ++bodies; });
    flows.clear();
    flows.shrink_to_fit();
    tool.releaseMemory();
    tool.releaseMemory();
    for (auto& flow : staying) flow->execute();
    tool.run();
    CHECK(bodies == kFlows + static_cast<int>(staying.size()));
    CHECK(allocations::live() <= before + 4 * staying.size() + 4);
    staying.clear();
    staying.shrink_to_fit();
    tool.releaseMemory();
    CHECK(allocations::live() <= before + 1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(mallinfo2().uordblks <= bytes + 64 * 1024);
#endif
    CHECK(runOnce(tool) == "ok");
}

TEST_CASE("releaseMemory gives back what no callback uses, and callbacks keep theirs", "[memory]") {
    VirtualTool tool;
    tool.releaseMemory();
    const std::size_t before = allocations::live();
    int runs = 0;
    for (int i = 0; i < 10'000; ++i) {
        tool.immediate([&runs] { ++runs; });
        tool.deferred(1 + i % 10, [&runs, captures = Captures{}] { ++runs; });
    }
    steptree::Handle kept = tool.deferred(1000, [&runs] { ++runs; });
    tool.advance(100);
    CHECK(runs == 20'000);
    tool.releaseMemory();
    CHECK(allocations::live() <= before + 1);
    tool.run();
    CHECK(runs == 20'001);
    kept = {};
    tool.releaseMemory();
    CHECK(allocations::live() <= before);
}
