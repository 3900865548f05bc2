#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace steptree;

namespace {

auto numbers(int limit) {
    return [next = 0, limit]() mutable -> std::optional<int> {
        return next < limit ? std::optional<int>(next++) : std::nullopt;
    };
}

const auto give = [](IAsyncSteps& asi, int item) { asi.success(item); };

constexpr int kItems = 512'000;

/// Allocations of a map, 256 at a time.
std::size_t allocationsOf(int items) {
    VirtualTool tool;
    AsyncSteps flow(tool);
    std::int64_t sum = 0;
    const std::size_t before = allocations::count();
    flow.add(map<int>(numbers(items), {.limit = 256}, give,
                      [&sum](int value, std::size_t) { sum += value; }));
    flow.execute();
    tool.run();
    REQUIRE(sum == std::int64_t{items} * (items - 1) / 2);
    return allocations::count() - before;
}

/// The same of items that wait, all of those that may be open.
std::size_t allocationsOfWaiting(int items) {
    VirtualTool tool;
    AsyncSteps flow(tool);
    int done = 0;
    const std::size_t before = allocations::count();
    flow.add(map(numbers(items), {.limit = 256}, [&done](IAsyncSteps& asi, int) {
        asi.add([&done](IAsyncSteps& inner) { inner.add([&done](IAsyncSteps&) { ++done; }); });
    }));
    flow.execute();
    tool.run();
    REQUIRE(done == items);
    return allocations::count() - before;
}

}  // namespace

TEST_CASE("a map of 512,000 items, 256 at a time, takes no more from the heap than one of 512",
          "[map][memory]") {
    // The first flow of a process takes some more.
    for (const int items : {512, kItems, 512, kItems}) {
        CHECK(allocationsOf(items) <= 40);
        CHECK(allocationsOfWaiting(items) <= 60);
    }
}

TEST_CASE("a million ready items are no recursion and let others have their turn", "[map]") {
    AsyncTool tool(AsyncTool::Driven{});
    AsyncSteps flow(tool);
    int done = 0;
    int turns = 0;
    std::function<void()> again = [&] {
        ++turns;
        if (done < 1'000'000) static_cast<void>(tool.deferred(0, again));
    };
    static_cast<void>(tool.deferred(0, again));
    flow.add(map(numbers(1'000'000), {.limit = 1'000'000}, [&done](IAsyncSteps&, int) { ++done; }));
    flow.execute();
    while (tool.iterate().work) {
    }
    CHECK(done == 1'000'000);
    CHECK(turns > 10);
}

TEST_CASE("results that wait for the first one are given without recursion", "[map]") {
    Rig rig;
    int given = 0;
    const auto body = [&](IAsyncSteps& asi, int item) {
        if (item != 0) return;
        asi.add([&](IAsyncSteps& inner) { inner.add([&](IAsyncSteps&) { CHECK(given == 0); }); });
    };
    rig.flow.add(map<Results>(numbers(100'000), {.limit = 100'000}, body,
                              [&given](const Results&, std::size_t) { ++given; }));
    CHECK(rig.run() == "ok");
    CHECK(given == 100'000);
}

TEST_CASE("maps in maps, 100,000 deep, run and are cancelled without recursion", "[map]") {
    for (const bool cancels : {false, true}) {
        Rig rig;
        int depth = 0;
        struct Body {
            int* depth;
            bool cancels;
            void operator()(IAsyncSteps& asi, int) const {
                if (++*depth < 100'000) {
                    asi.add(map(numbers(1), {.limit = 1}, *this));
                } else if (cancels) {
                    static_cast<void>(asi.waitExternal());
                }
            }
        };
        rig.flow.add(map(numbers(1), {.limit = 1}, Body{&depth, cancels}));
        CHECK(rig.run() == (cancels ? "waiting" : "ok"));
        CHECK(depth == 100'000);
    }
}

TEST_CASE("a map in a NitroSteps takes nothing from the heap and its branches back",
          "[map][nitro]") {
    VirtualTool tool;
    NitroSteps<MaxMaps<2>, MaxBranches<8>> flow(tool);
    std::int64_t sum = 0;
    const auto sums = map<int>(numbers(100), {.limit = 8}, give,
                               [&sum](int value, std::size_t) { sum += value; });
    const auto fails = map(numbers(20), {.limit = 8}, [](IAsyncSteps& asi, int item) {
                           asi.add([item](IAsyncSteps& inner) {
                               if (item == 9) inner.errorNoThrow("E");
                           });
                       }).onError([](IAsyncSteps& asi, ErrorCode) { asi.success(); });
    const auto nests = map(numbers(3), {.limit = 4}, [](IAsyncSteps& asi, int) {
        asi.add([](IAsyncSteps& inner) { inner.add([](IAsyncSteps&) {}); });
    });
    const std::size_t before = allocations::count();
    for (int round = 0; round < 3; ++round) {
        sum = 0;
        flow.add(sums).add(fails).add(nests);
        bool ok = false;
        flow.execute([&ok](Outcome& outcome) { ok = outcome.kind == OutcomeKind::ok; });
        tool.run();
        CHECK(ok);
        CHECK(sum == 4950);
    }
    CHECK(allocations::count() == before);
}

TEST_CASE("a map whose limit is larger than MaxBranches raises OutOfSteps", "[map][nitro]") {
    VirtualTool tool;
    NitroSteps<MaxMaps<1>, MaxBranches<4>> flow(tool);
    flow.add(map(numbers(2), {.limit = 5}, give));
    CHECK(run(tool, flow) == "error OutOfSteps");
    flow.add(map(numbers(2), {.limit = 4}, give));
    CHECK(run(tool, flow) == "ok");
}

namespace {

template <std::size_t size>
std::string endOfItems() {
    using Item = std::array<char, size>;
    VirtualTool tool;
    NitroSteps<MaxMaps<1>, MaxCapture<96>, MaxBranches<2>, MaxBranchSteps<1>, MaxLoops<0>,
               MaxParallels<0>, MaxTimeouts<0>, MaxCancels<0>, MaxAwaits<0>>
        flow(tool);
    flow.add(map(
        [left = 4]() mutable { return left-- > 0 ? std::optional<Item>(Item{}) : std::nullopt; },
        {.limit = 2}, [](IAsyncSteps&, Item&) {}));
    return run(tool, flow);
}

}  // namespace

TEST_CASE("an item that a branch of a NitroSteps has no room for raises OutOfSteps",
          "[map][nitro]") {
    // Beside it the place of an item holds its number and its map.
    CHECK(endOfItems<368>() == "ok");
    CHECK(endOfItems<376>() == "error OutOfSteps");
}

TEST_CASE("a map runs short of memory as a step does", "[map][memory]") {
    for (std::size_t after = 0; after < 40; ++after) {
        VirtualTool tool;
        AsyncSteps flow(tool);
        int done = 0;
        flow.add(map<int>(numbers(2000), {.limit = 1000}, [&done](IAsyncSteps& asi, int item) {
            ++done;
            asi.add([item](IAsyncSteps& inner) { inner.success(item); });
        }));
        std::string end;
        flow.execute([&end](Outcome& outcome) { end = outcome.code; });
        {
            const allocations::Failing failing(after, 1);
            tool.run();
        }
        CHECK((end.empty() ? done == 2000 : end == "InternalError" || end == "OutOfMemory"));
    }
}
