#include <gtest/gtest.h>

#include <cstdint>
#include <steptree/run.hpp>
#include <steptree/virtualtool.hpp>
#include <string>
#include <vector>

#include "stubborn.hpp"

using namespace steptree;

TEST(Stubborn, AsksAgainAfter100MsAndThenAfter200Ms) {
    VirtualTool tool;
    std::vector<std::int64_t> asked;
    const auto ask = [&](IAsyncSteps& asi) {
        asked.push_back(tool.now());
        if (asked.size() < 3) asi.error("ECONNREFUSED");
        return std::string("hello");
    };

    const auto answer = run(tool, stubborn(ask));
    tool.advance(300);

    EXPECT_EQ(answer.get(), "hello");
    EXPECT_EQ(asked, (std::vector<std::int64_t>{0, 100, 300}));
    EXPECT_EQ(tool.armedTimers(), 0);  // the deadline of 5 s is gone
}
