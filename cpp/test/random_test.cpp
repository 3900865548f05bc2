#include <cstdint>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"

using namespace rig;
using steptree::AsyncTool;

namespace {

/// The first words of a tool's numbers.
std::vector<std::uint32_t> words(steptree::Tool& tool, int count) {
    std::vector<std::uint32_t> words;
    for (int i = 0; i < count; ++i) {
        const double number = tool.random();
        REQUIRE(number >= 0);
        REQUIRE(number < 1);
        words.push_back(static_cast<std::uint32_t>(number * 0x1p32));
    }
    return words;
}

}  // namespace

TEST_CASE("numbers of a seed are the same on every tool", "[tool]") {
    const std::uint32_t thousandth[] = {1312086629U, 4071296275U, 695274267U};
    const std::uint32_t* expected = thousandth;
    for (const std::uint32_t seed : {0U, 1U, 4294967295U}) {
        VirtualTool virtualTool({.seed = seed});
        AsyncTool driven(AsyncTool::Driven{.seed = seed});
        const auto thousand = words(virtualTool, 1000);
        CHECK(thousand.back() == *expected++);
        CHECK(words(driven, 1000) == thousand);
    }
    VirtualTool first;
    VirtualTool second({.seed = 0});
    CHECK(words(first, 3) == words(second, 3));
}

TEST_CASE("a tool that is given no seed has numbers of its own", "[tool]") {
    AsyncTool first(AsyncTool::Driven{});
    AsyncTool second(AsyncTool::Driven{});
    CHECK(words(first, 4) != words(second, 4));
}

TEST_CASE("numbers are for the thread of their tool", "[tool][thread]") {
    VirtualTool tool;
    std::string code;
    std::thread([&] { code = codeOf([&] { static_cast<void>(tool.random()); }); }).join();
    CHECK(code == "InternalError");
    CHECK(words(tool, 1).front() == 1789933344U);
    AsyncTool own(nullptr, 1);
    std::vector<std::uint32_t> got;
    steptree::Promise<> done;
    auto future = done.future();
    own.immediate([&] {
        got = words(own, 2);
        done.success();
    });
    future.get();
    CHECK(got == std::vector<std::uint32_t>{393288148U, 2174103013U});
}
