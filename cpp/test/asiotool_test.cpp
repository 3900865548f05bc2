#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "asiolibrary.hpp"
#include "catch.hpp"
#include "steptree/asyncsteps.hpp"

namespace {
using Log = std::vector<std::string>;
}

TEST_CASE("an io_context runs what its tool has to do, then returns" WITH_ASIO, "[asiotool]") {
    asio::io_context io;
    AsioTool loop(io);
    Log log;
    loop.tool().deferred(2, [&] {
        log.push_back("timer");
        loop.tool().immediate([&] { log.push_back("later"); });
    });
    loop.tool().immediate([&] { log.push_back("immediate"); });
    asio::post(io, [&] {
        log.push_back("handler");
        loop.tool().immediate([&] { log.push_back("from a handler"); });
    });
    io.run();
    CHECK(log == Log{"immediate", "handler", "from a handler", "timer", "later"});
}

TEST_CASE("a cancelled timer does not hold the io_context" WITH_ASIO, "[asiotool]") {
    asio::io_context io;
    AsioTool loop(io);
    steptree::Handle timer = loop.tool().deferred(3'600'000, [] { FAIL("fired"); });
    loop.tool().immediate([&] { timer.cancel(); });
    io.run();
    CHECK_FALSE(timer.valid());
}

TEST_CASE("what is taken back in a handler does not hold the io_context" WITH_ASIO, "[asiotool]") {
    asio::io_context io;
    AsioTool loop(io);
    std::optional<AsyncSteps> flow(loop.tool());
    flow->add([](IAsyncSteps& asi) {
        asi.setTimeout(3'600'000);
        asi.waitExternal();
    });
    Handle handle;
    steptree::detail::Function<void()> takeBack;
    SECTION("by cancelling the flow") {
        flow->execute();
        takeBack = [&] { flow->cancel(); };
    }
    SECTION("by destroying the flow") {
        flow->execute();
        takeBack = [&] { flow.reset(); };
    }
    SECTION("by its handle") {
        handle = loop.tool().deferred(3'600'000, [] { FAIL("fired"); });
        takeBack = [&] { handle.cancel(); };
    }
    asio::steady_timer soon(io, std::chrono::milliseconds(1));
    std::size_t armed = 2;
    soon.async_wait([&](const auto&) {
        CHECK(loop.tool().armedTimers() == 1);
        takeBack();
        armed = loop.tool().armedTimers();
    });
    io.run();
    CHECK(armed == 0);
}

TEST_CASE(
    "a second thread that runs the io_context of a tool is an error there, and does no "
    "harm" WITH_ASIO,
    "[asiotool][thread]") {
    asio::io_context io;
    AsioTool loop(io);
    int runs = 0;
    loop.tool().immediate([&] { ++runs; });
    io.run();
    loop.tool().immediate([&] { ++runs; });
    io.restart();
    std::string what;
    std::thread([&] {
        try {
            io.run();
        } catch (const StepError& error) {
            what = error.what();
        }
    }).join();
    CHECK(what.find("AsioTool: a second thread runs its io_context") != std::string::npos);
    CHECK(runs == 1);
    io.restart();
    io.run();
    CHECK(runs == 2);
}

TEST_CASE("another thread runs the io_context of a tool when the first has ended" WITH_ASIO,
          "[asiotool][thread]") {
    asio::io_context io;
    AsioTool loop(io);
    int runs = 0;
    for (int i = 0; i < 2; ++i) {
        loop.tool().immediate([&] { ++runs; });
        io.restart();
        std::thread([&] { io.run(); }).join();
    }
    CHECK(runs == 2);
}

TEST_CASE("timers of an io_context fire in time, in whatever order they are armed" WITH_ASIO,
          "[asiotool]") {
    asio::io_context io;
    AsioTool loop(io);
    Log log;
    const auto timer = [&](int ms) {
        return loop.tool().deferred(ms, [&log, ms] { log.push_back(std::to_string(ms)); });
    };
    steptree::Handle far = timer(3'600'000);
    loop.tool().deferred(1, [&] {
        timer(30);  // earlier than what the io_context waits for
        timer(5);
        steptree::Handle gone = timer(2);  // the wait for it ends without anything to do
        asio::post(
            io, [gone = std::make_shared<steptree::Handle>(std::move(gone))] { gone->cancel(); });
    });
    loop.tool().deferred(40, [&] { far.cancel(); });
    const auto begin = std::chrono::steady_clock::now();
    io.run();
    CHECK(log == Log{"5", "30"});
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(10));
}

TEST_CASE("a tool that never rests lets handlers run" WITH_ASIO, "[asiotool]") {
    asio::io_context io;
    AsioTool loop(io);
    bool stop = false;
    steptree::detail::Function<void()> again = [&] {
        if (!stop) loop.tool().immediate([&] { again(); });
    };
    again();
    asio::post(io, [&] { asio::post(io, [&] { stop = true; }); });
    io.run();
    CHECK(stop);
}

TEST_CASE("other threads wake a tool in an io_context" WITH_ASIO, "[asiotool][thread]") {
    asio::io_context io;
    AsioTool loop(io);
    auto guard = asio::make_work_guard(io);
    constexpr int kEach = 2000;
    int runs = 0;
    const auto count = [&] {
        if (++runs == 2 * kEach) guard.reset();
    };
    std::thread runner([&] { io.run(); });
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < kEach; ++i) loop.tool().immediate(count);
        });
    }
    for (std::thread& thread : threads) thread.join();
    runner.join();
    CHECK(runs == 2 * kEach);
}

TEST_CASE("an AsioTool may go in a handler and in its own callback" WITH_ASIO, "[asiotool]") {
    asio::io_context io;
    auto captured = std::make_shared<int>(0);
    std::optional<AsioTool> inHandler(std::in_place, io);
    std::optional<AsioTool> inCallback(std::in_place, io);
    inHandler->tool().deferred(3'600'000, [captured] {});
    asio::post(io, [&] { inHandler.reset(); });
    inCallback->tool().immediate([&] { inCallback.reset(); });
    inCallback->tool().immediate([captured] { FAIL("ran"); });
    io.run();
    CHECK(captured.use_count() == 1);
}
