#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>  // version 3
#else
#include <catch2/catch.hpp>
#endif
#include <cstdint>
#include <steptree/run.hpp>
#include <steptree/virtualtool.hpp>
#include <string>
#include <vector>

#include "stubborn.hpp"

using namespace steptree;

TEST_CASE("asks again after 100 ms, and then after 200 ms") {
    VirtualTool tool;
    std::vector<std::int64_t> asked;
    const auto ask = [&](IAsyncSteps& asi) {
        asked.push_back(tool.now());
        if (asked.size() < 3) asi.error("ECONNREFUSED");
        return std::string("hello");
    };

    const auto answer = run(tool, stubborn(ask));
    tool.advance(300);

    CHECK(answer.get() == "hello");
    CHECK(asked == std::vector<std::int64_t>{0, 100, 300});
    CHECK(tool.armedTimers() == 0);  // the deadline of 5 s is gone
}
