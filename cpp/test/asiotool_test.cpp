#include "steptree/asiotool.hpp"

#include <asio/executor_work_guard.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"

using steptree::AsioTool;

namespace {
using Log = std::vector<std::string>;
}

TEST_CASE("an io_context runs what its tool has to do, then returns", "[asiotool]") {
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

TEST_CASE("a cancelled timer does not hold the io_context", "[asiotool]") {
    asio::io_context io;
    AsioTool loop(io);
    steptree::Handle timer = loop.tool().deferred(3'600'000, [] { FAIL("fired"); });
    loop.tool().immediate([&] { timer.cancel(); });
    io.run();
    CHECK_FALSE(timer.valid());
}

TEST_CASE("a tool that never rests lets handlers run", "[asiotool]") {
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

TEST_CASE("other threads wake a tool in an io_context", "[asiotool][thread]") {
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

TEST_CASE("an AsioTool may go in a handler and in its own callback", "[asiotool]") {
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
