#include "steptree/virtualtool.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "steptree/error.hpp"

using steptree::Handle;
using steptree::VirtualTool;

namespace {
using Log = std::vector<std::string>;
}

TEST_CASE("now is in whole milliseconds", "[virtualtool]") {
    VirtualTool tool;
    STATIC_REQUIRE(std::is_integral_v<decltype(tool.now())>);
    CHECK(tool.now() == 0);
    tool.deferred(7, [] {});
    tool.run();
    CHECK(tool.now() == 7);
}

TEST_CASE("what an immediate schedules runs in the next pass", "[virtualtool]") {
    VirtualTool tool;
    Log log;
    tool.immediate([&] {
        log.push_back("a");
        tool.immediate([&] { log.push_back("c"); });
        tool.deferred(0, [&] { log.push_back("timer"); });
    });
    tool.immediate([&] { log.push_back("b"); });
    tool.run();
    CHECK(log == Log{"a", "b", "timer", "c"});
}

TEST_CASE("a timer that is armed in a timer pass belongs to the next one", "[virtualtool]") {
    VirtualTool tool;
    Log log;
    tool.deferred(1, [&] {
        log.push_back("first");
        tool.deferred(0, [&] { log.push_back("armed"); });
        tool.immediate([&] { log.push_back("immediate"); });
    });
    tool.deferred(1, [&] { log.push_back("second"); });
    tool.run();
    CHECK(log == Log{"first", "second", "immediate", "armed"});
    CHECK(tool.now() == 1);
}

TEST_CASE("timers fire by due time, then in the order of arming", "[virtualtool]") {
    VirtualTool tool;
    Log log;
    const auto arm = [&](std::int64_t ms, const char* name) {
        tool.deferred(ms, [&log, name] { log.push_back(name); });
    };
    arm(100, "c");
    arm(5, "a");
    arm(std::int64_t{1} << 40, "e");
    arm(100, "d");
    arm(5, "b");
    tool.run();
    CHECK(log == Log{"a", "b", "c", "d", "e"});
    CHECK(tool.now() == std::int64_t{1} << 40);
}

TEST_CASE("a delay is any duration, rounded up", "[virtualtool]") {
    using namespace std::chrono_literals;
    VirtualTool tool;
    std::vector<std::int64_t> times;
    const auto note = [&] { times.push_back(tool.now()); };
    tool.deferred(1200us, note);
    tool.deferred(2.1, note);
    tool.deferred(4ms, note);
    tool.deferred(0.005s, note);
    Handle never = tool.deferred(std::numeric_limits<double>::infinity(), note);
    tool.run();
    CHECK(times == std::vector<std::int64_t>{2, 3, 4, 5});
    CHECK(never.valid());
}

TEST_CASE("advance runs what is due and stops there", "[virtualtool]") {
    VirtualTool tool;
    Log log;
    tool.deferred(5, [&] { log.push_back("5"); });
    tool.deferred(6, [&] { log.push_back("6"); });
    tool.advance(5);
    CHECK(log == Log{"5"});
    CHECK(tool.now() == 5);
    tool.advance(1);
    CHECK(log == Log{"5", "6"});
    tool.advance(1000);
    CHECK(tool.now() == 1006);
}

TEST_CASE("a loop that never rests meets its deadline", "[virtualtool]") {
    VirtualTool tool;
    bool over = false;
    int runs = 0;
    steptree::detail::Function<void()> again = [&] {
        ++runs;
        if (!over) tool.immediate([&] { again(); });
    };
    again();
    tool.deferred(3, [&] { over = true; });
    tool.run();
    CHECK(tool.now() == 3);
    CHECK(runs == 3 * 256 + 2);
}

TEST_CASE("advance leaves a loop that never rests at its last instant", "[virtualtool]") {
    VirtualTool tool;
    int runs = 0;
    steptree::detail::Function<void()> again = [&] {
        ++runs;
        tool.immediate([&] { again(); });
    };
    again();
    bool due = false;
    tool.deferred(2, [&] { due = true; });
    tool.advance(2);
    CHECK(tool.now() == 2);
    CHECK(due);
    CHECK(runs == 3 * 256 + 1);
}

TEST_CASE("running a virtual tool inside its own callback is InternalError", "[virtualtool]") {
    VirtualTool tool;
    Log log;
    const auto attempt = [&](auto&& call) {
        try {
            call();
            log.push_back("ran");
        } catch (const steptree::StepError& e) {
            log.push_back(e.code());
        }
    };
    tool.immediate([&] { attempt([&] { tool.run(); }); });
    tool.deferred(1, [&] { attempt([&] { tool.advance(1); }); });
    tool.run();
    CHECK(log == Log{"InternalError", "InternalError"});
}

TEST_CASE("a bad argument is refused and named", "[virtualtool]") {
    VirtualTool tool;
    const auto refusal = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const steptree::StepError& e) {
            return e.code() + ": " + e.info();
        }
        return "accepted";
    };
    CHECK(refusal([&] { tool.deferred(-1, [] {}); }) ==
          "InternalError: deferred: expected a delay of at least 0 ms, got -1");
    CHECK(refusal([&] { tool.deferred(std::nan(""), [] {}); }) ==
          "InternalError: deferred: expected a delay of at least 0 ms, got none");
    CHECK(refusal([&] { tool.advance(-2); }) ==
          "InternalError: advance: expected at least 0 ms, got -2");
    CHECK(refusal([&] { tool.elapse(-3); }) ==
          "InternalError: elapse: expected a finite time of at least 0 ms, got -3");
    CHECK(refusal([&] { tool.elapse(std::numeric_limits<double>::infinity()); }) ==
          "InternalError: elapse: expected a finite time of at least 0 ms, got no end");
    CHECK(refusal([&] { tool.elapse(std::nan("")); }) ==
          "InternalError: elapse: expected a finite time of at least 0 ms, got no number");
    CHECK(refusal([&] { tool.immediate({}); }) ==
          "InternalError: immediate: expected a callback, got an empty one");
    tool.run();
    CHECK(tool.now() == 0);
}

TEST_CASE("a callback may work for longer than the tool is to run", "[virtualtool]") {
    VirtualTool tool;
    std::string seen;
    tool.immediate([&] { tool.elapse(std::chrono::milliseconds(50)); });
    tool.deferred(30, [&] { seen += "due "; });
    tool.deferred(70, [&] { seen += "later"; });
    tool.advance(10);
    CHECK(tool.now() == 50);
    CHECK(seen == "due ");
    tool.advance(10);
    CHECK(tool.now() == 60);
    tool.elapse(1);
    CHECK(tool.now() == 61);
    tool.run();
    CHECK(seen == "due later");
    CHECK(tool.now() == 70);
}

TEST_CASE("a callback may destroy its virtual tool", "[virtualtool]") {
    auto tool = std::make_unique<VirtualTool>();
    bool late = false;
    tool->immediate([&, witness = std::make_shared<int>(1)] {
        tool.reset();
        CHECK(*witness == 1);
    });
    tool->immediate([&] { late = true; });
    tool->deferred(0, [&] { late = true; });
    tool->run();
    CHECK(tool == nullptr);
    CHECK_FALSE(late);
}

TEST_CASE("delays and times as large as can be said are no overflow", "[virtualtool]") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    VirtualTool tool;
    bool late = false;
    bool ran = false;
    tool.deferred(std::int64_t{1} << 41, [&] { late = true; });
    tool.run();
    CHECK(late);
    CHECK(tool.now() == std::int64_t{1} << 41);
    Handle timer = tool.deferred(kMost - 1, [&] { ran = true; });
    tool.run();
    CHECK(tool.now() == std::int64_t{1} << 41);
    tool.advance(kMost);
    CHECK(tool.now() == kMost - 1);
    CHECK_FALSE(ran);
    CHECK(timer.valid());
}

TEST_CASE("a virtual tool belongs to the thread that runs it", "[virtualtool][thread]") {
    VirtualTool tool;
    std::size_t timers = 0;
    tool.immediate([&] {
        const Handle timer = tool.deferred(5, [] {});
        timers = tool.armedTimers();  // which other threads may not ask
    });
    std::thread([&] { tool.run(); }).join();
    CHECK(timers == 1);
}
