#include "steptree/tool.hpp"

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "child.hpp"
#include "steptree/virtualtool.hpp"

using steptree::Handle;
using steptree::VirtualTool;

namespace {
using Log = std::vector<std::string>;
}

TEST_CASE("a handle cancels once and tells whether its callback is pending", "[tool]") {
    VirtualTool tool;
    bool ran = false;
    Handle none;
    CHECK_FALSE(none.valid());
    none.cancel();

    Handle immediate = tool.immediate([&] { ran = true; });
    Handle timer = tool.deferred(5, [&] { ran = true; });
    CHECK(immediate.valid());
    CHECK(timer.valid());
    immediate.cancel();
    immediate.cancel();
    timer.cancel();
    CHECK_FALSE(immediate.valid());
    CHECK_FALSE(timer.valid());
    tool.run();
    CHECK_FALSE(ran);
    CHECK(tool.now() == 0);
}

TEST_CASE("a callback is no longer pending while it runs", "[tool]") {
    VirtualTool tool;
    Handle handle;
    bool valid = true;
    handle = tool.immediate([&] {
        valid = handle.valid();
        handle.cancel();
    });
    tool.run();
    CHECK_FALSE(valid);
}

TEST_CASE("a callback cancels another one of the same pass", "[tool]") {
    VirtualTool tool;
    Log log;
    Handle second, fourth;
    tool.immediate([&] { second.cancel(); });
    second = tool.immediate([&] { log.push_back("second"); });
    tool.deferred(1, [&] { fourth.cancel(); });
    fourth = tool.deferred(1, [&] { log.push_back("fourth"); });
    tool.run();
    CHECK(log.empty());
}

TEST_CASE("cancelling destroys what the callback captured", "[tool]") {
    VirtualTool tool;
    auto captured = std::make_shared<int>(0);
    Handle handle = tool.deferred(5, [captured] {});
    CHECK(captured.use_count() == 2);
    handle.cancel();
    CHECK(captured.use_count() == 1);
}

TEST_CASE("a callback of any size and of move-only captures runs", "[tool]") {
    VirtualTool tool;
    std::array<char, 500> large{};
    large[499] = 'x';
    char seen = 0;
    int value = 0;
    tool.immediate([&seen, large] { seen = large[499]; });
    tool.immediate([&value, owned = std::make_unique<int>(7)] { value = *owned; });
    tool.run();
    CHECK(seen == 'x');
    CHECK(value == 7);
}

TEST_CASE("an exception out of a callback goes to onError", "[tool]") {
    VirtualTool tool;
    Log log;
    tool.onError([&](std::exception_ptr error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& e) {
            log.push_back(e.what());
        }
    });
    tool.immediate([] { throw std::runtime_error("immediate"); });
    tool.deferred(1, [] { throw std::runtime_error("deferred"); });
    tool.immediate([&] { log.push_back("still runs"); });
    tool.deferred(1, [&] { log.push_back("fires"); });
    tool.run();
    CHECK(log == Log{"immediate", "still runs", "deferred", "fires"});
}

TEST_CASE("without a hook what leaves a callback is printed, and ends the process", "[tool]") {
    const auto leaves = [](auto thrown) {
        return child::inChild([&] {
            VirtualTool tool;
            tool.immediate([&] { throw thrown; });
            tool.run();
        });
    };
    const child::Ended known = leaves(std::runtime_error("by name"));
    CHECK(known.aborted);
    CHECK(child::has(known, "exception out of a tool callback: by name"));
    const child::Ended unknown = leaves(5);
    CHECK(unknown.aborted);
    CHECK(child::has(unknown, "exception of unknown type out of a tool callback"));
}

TEST_CASE("a million timers are armed and cancelled", "[tool]") {
    VirtualTool tool;
    int fired = 0;
    std::vector<Handle> handles;
    handles.reserve(1'000'000);
    for (int i = 0; i < 1'000'000; ++i) {
        handles.push_back(tool.deferred(1 + i % 5000, [&] { ++fired; }));
    }
    for (std::size_t i = 0; i < handles.size(); i += 2) handles[i].cancel();
    for (std::size_t i = handles.size(); i-- > 0;) handles[i].cancel();
    tool.run();
    CHECK(fired == 0);
    CHECK(tool.now() == 0);
}

TEST_CASE("a handle outlives its tool", "[tool]") {
    std::optional<VirtualTool> tool(std::in_place);
    auto captured = std::make_shared<int>(0);
    Handle immediate = tool->immediate([captured] { FAIL("ran"); });
    Handle timer = tool->deferred(5, [captured] { FAIL("ran"); });
    tool.reset();
    CHECK(captured.use_count() == 1);
    CHECK_FALSE(immediate.valid());
    CHECK_FALSE(timer.valid());
    immediate.cancel();
    timer.cancel();
}

TEST_CASE("a capture that schedules while its tool goes is not run", "[tool]") {
    struct Last {
        VirtualTool* tool;
        bool* ran;
        ~Last() {
            if (tool != nullptr) tool->immediate([ran = ran] { *ran = true; });
        }
        Last(VirtualTool* t, bool* r) : tool(t), ran(r) {}
        Last(Last&& other) noexcept : tool(std::exchange(other.tool, nullptr)), ran(other.ran) {}
    };
    bool ran = false;
    {
        VirtualTool tool;
        tool.immediate([last = Last(&tool, &ran)] {});
    }
    CHECK_FALSE(ran);
}
