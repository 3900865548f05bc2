#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "pools.hpp"
#include "rig.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/task.hpp"

using namespace rig;
using steptree::Task;

namespace {

Task<int> leaf(IAsyncSteps&, int value) {
    co_return value;
}

Task<std::int64_t> nested(IAsyncSteps& asi, std::int64_t depth) {
    if (depth == 0) {
        co_await asi.add(delay(1));
        co_return 0;
    }
    co_return 1 + co_await nested(asi, depth - 1);
}

Task<> large(IAsyncSteps& asi) {
    std::array<char, 20000> buffer{};
    co_await asi.add(delay(1));
    buffer[0] = 1;
}

}  // namespace

TEST_CASE("frames come from the flow's pool, and go back when they are over",
          "[coroutine][memory]") {
    pools::Counting pool;
    {
        VirtualTool tool(&pool);
        AsyncSteps flow(tool);
        flow.add([&](IAsyncSteps& asi) -> Task<> {
            co_await asi.add(delay(1));
            const std::size_t before = pool.live.size();
            {
                const Task<int> unused = leaf(asi, 1);
                CHECK(pool.live.size() == before + 1);
            }
            CHECK(pool.live.size() == before);
            CHECK(co_await leaf(asi, 2) == 2);
            CHECK(pool.live.size() == before);
            co_await large(asi);
            CHECK(pool.live.size() == before);
        });
        const std::size_t heap = allocations::count();
        CHECK(run(tool, flow) == "ok");
        CHECK(allocations::count() - heap < 60);  // what the pool itself keeps of its blocks
        flow.add(large).execute();
        tool.advance(0);
        flow.cancel();
        flow.add(large).execute();
        tool.advance(0);
    }
    CHECK(pool.live.empty());
    CHECK(pool.wrong == 0);
}

TEST_CASE("a coroutine takes nothing from the heap once its tool is warm", "[coroutine][memory]") {
    Rig rig;
    const auto pause = delay(1);
    const auto once = [&] {
        rig.flow.add([&pause](IAsyncSteps& asi) -> Task<int> {
            for (int i = 0; i < 10; ++i) co_await asi.add(pause);
            co_await asi.add([](IAsyncSteps& asi) { return leaf(asi, 5); });
            co_return co_await leaf(asi, 4);
        });
        rig.flow.execute();
        rig.tool.run();
    };
    once();
    const std::size_t before = allocations::count();
    for (int i = 0; i < 10; ++i) once();
    CHECK(allocations::count() == before);
}

TEST_CASE("a million times co_await take the memory of one", "[coroutine][memory]") {
    pools::Counting pool;
    VirtualTool tool(&pool);
    AsyncSteps flow(tool);
    std::int64_t sum = 0;
    std::size_t most = 0;
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        asi.setTimeout(1000000);
        for (int i = 0; i < 1000000; ++i) {
            if (i == 10) most = pool.live.size();
            asi.setTimeout(1000000);
            const Results one = co_await asi.add([](IAsyncSteps& asi) { asi.success(1); });
            sum += one.at<int>(0) + co_await leaf(asi, 1);
        }
        CHECK(pool.live.size() <= most);
    });
    CHECK(run(tool, flow) == "ok");
    CHECK(sum == 2000000);
}

TEST_CASE("what a coroutine keeps for its step isn't taken by what it awaits",
          "[coroutine][memory]") {
    Rig rig;
    std::vector<int> got;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> {
        std::vector<int*> kept;
        for (int i = 0; i < 50; ++i) {
            if (i % 3 == 0) kept.push_back(&asi.stack<int>(i));
            if (i % 5 == 0) asi.defer([&got, i](IAsyncSteps&) { got.push_back(i); });
            std::array<int, 8> noise{};
            noise.fill(-1);
            co_await asi.add([noise](IAsyncSteps& asi) { asi.stack<int>(noise[0]); });
        }
        for (std::size_t i = 0; i < kept.size(); ++i) CHECK(*kept[i] == static_cast<int>(3 * i));
    });
    CHECK(rig.run() == "ok");
    CHECK(got == std::vector<int>{45, 40, 35, 30, 25, 20, 15, 10, 5, 0});
}

TEST_CASE("a million tasks that await each other need no native stack", "[coroutine][memory]") {
    constexpr std::int64_t kDepth = 1000000;
    Rig rig;
    std::int64_t depth = 0;
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> { depth = co_await nested(asi, kDepth); });
    CHECK(rig.run() == "ok");
    CHECK(depth == kDepth);
    rig.flow.add([&](IAsyncSteps& asi) -> Task<> { depth = co_await nested(asi, kDepth); })
        .execute();
    rig.tool.advance(0);
    CHECK(rig.flow.running());
    rig.flow.cancel();
    CHECK_FALSE(rig.flow.running());
}

TEST_CASE("what a body captures lives as long as its coroutine", "[coroutine][memory]") {
    Rig rig;
    const auto token = std::make_shared<int>(7);
    std::array<char, 600> large{};  // of captures that live on the heap
    large[0] = 'x';
    int got = 0;
    rig.flow.add([&got, kept = token, large](IAsyncSteps& asi) -> Task<> {
        co_await asi.add(delay(1));
        asi.add([&got, kept](IAsyncSteps& asi) -> Task<> {
            co_await asi.add(delay(1));
            got = *kept;
        });
        co_await asi;
        got += *kept + (large[0] == 'x' ? 1 : 0);
    });
    rig.flow.execute();
    rig.tool.advance(1);
    CHECK(token.use_count() == 3);
    rig.tool.run();
    CHECK(got == 15);
    CHECK(token.use_count() == 1);
}

TEST_CASE("a frame that finds no memory fails its step", "[coroutine][memory]") {
    pools::Counting pool;
    VirtualTool tool(&pool);
    std::string end;
    for (std::size_t after = 0; end != "ok"; ++after) {
        REQUIRE(after < 50);
        AsyncSteps flow(tool);
        bool wasOut = false;
        flow.add([&](IAsyncSteps& asi) -> Task<int> {
            co_await asi.add(delay(1));
            try {
                co_await large(asi);
            } catch (const std::bad_alloc&) {
                wasOut = true;
                throw;
            }
            co_return co_await leaf(asi, 1);
        });
        bool over = false;
        flow.execute([&](steptree::Outcome& outcome) {
            over = true;
            end = outcome.kind == OutcomeKind::ok ? "ok" : outcome.code;
        });
        pool.failAfter = after;
        pool.failing = 1;
        tool.run();
        CHECK(over);
        CHECK((end == (pool.failing == 0 ? "InternalError" : "ok")));
        if (wasOut) CHECK(end == "InternalError");
        pool.failAfter = SIZE_MAX;
        pool.failing = 0;
    }
}

TEST_CASE("a coroutine has no place in a flow of fixed size", "[coroutine][nitro]") {
    VirtualTool tool;
    steptree::NitroSteps<> flow(tool);
    bool ran = false;
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        ran = true;
        co_await asi.add(delay(1));
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    CHECK_FALSE(ran);
}
