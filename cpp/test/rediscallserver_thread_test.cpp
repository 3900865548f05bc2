#include <asio.hpp>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "callshop.hpp"
#include "catch.hpp"
#include "steptree/asiotool.hpp"
#include "steptree/delay.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

TEST_CASE("a mistake of a handler is told to the report of its server, too", "[redis][thread]") {
    CallShop shop;
    const auto wrong = step([](IAsyncSteps&, const std::string& args, const ServedCall&) {
        return std::string(1, args.at(100));
    });
    const auto odd =
        step([](IAsyncSteps&, const std::string&, const ServedCall&) { return std::string("{"); });
    const auto fails = step([](IAsyncSteps& asi, const std::string&, const ServedCall&) {
        asi.error("NoHost", "for 978");
    });
    const auto report = [&](const StepError& error) {
        shop.note(error.path() + " " + error.what());
        try {
            std::rethrow_exception(error.cause());
        } catch (const std::out_of_range&) {
            shop.note("out of range");
        } catch (const std::exception&) {
        }
    };
    Server server(shop.tool, shop.served, {{"wrong", wrong}, {"odd", odd}, {"fail", fails}},
                  {.report = report});
    CHECK(shop.failing("fail") == "NoHost");
    CHECK(shop.noted().empty());
    CHECK(shop.failing("wrong") == "InternalError");
    CHECK(shop.failing("odd") == "InternalError");
    const auto noted = shop.noted();
    REQUIRE(noted.size() == 3);
    CHECK_THAT(noted[0],
               Catch::StartsWith("prices.wrong InternalError: ") && Catch::Contains("100"));
    CHECK(noted[1] == "out of range");
    CHECK_THAT(noted[2], Catch::StartsWith("prices.odd InternalError: the reply"));
}

TEST_CASE("a report may throw, or be the end of its server", "[redis][thread]") {
    CallShop shop({.lease = 1s});
    const auto wrong = step([](IAsyncSteps&, const std::string& args, const ServedCall&) {
        return std::string(1, args.at(100));
    });
    {
        const auto report = [](const StepError& error) { throw StepError(error); };
        Server server(shop.tool, shop.served, {{"wrong", wrong}}, {.report = report});
        CHECK(shop.failing("wrong") == "InternalError");
    }
    std::unique_ptr<Server> ends;
    const auto report = [&](const StepError&) {
        shop.note("mistake");
        ends.reset();
    };
    ends = std::make_unique<Server>(shop.tool, shop.served, Server::Handlers{{"wrong", wrong}},
                                    ServerOptions{.report = report});
    CHECK(shop.failing("wrong") == "CallLost");
    CHECK(shop.noted() == std::vector<std::string>{"mistake"});
}

TEST_CASE("a server may go on any of the threads that drive its tool", "[redis][thread]") {
    CallShop shop;
    const auto slow = step([](IAsyncSteps& asi, const std::string& args, const ServedCall&) {
        asi.add(delay(1));
        asi.add([args](IAsyncSteps&) { return args; });
    });
    Server keeps(shop.tool, shop.served, {{"slow", slow}}, {.concurrency = 4});
    asio::io_context io;
    const auto work = asio::make_work_guard(io);
    AsioTool loop(io.get_executor());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&io] { io.run(); });
    for (int i = 0; i < 40; ++i) {
        std::unique_ptr<Server> server;
        std::promise<void> made;
        asio::post(loop.executor(), [&] {
            server = std::make_unique<Server>(loop.tool(), shop.served,
                                              Server::Handlers{{"slow", slow}});
            made.set_value();
        });
        made.get_future().get();
        std::vector<Future<std::string>> calls;
        for (int n = 0; n < 20; ++n)
            calls.push_back(run(shop.tool, call(shop.prices, "slow", "[1]").timeout(50)));
        std::this_thread::sleep_for(std::chrono::microseconds(i * 100));
        std::promise<void> gone;
        asio::post(io, [&] {
            server.reset();
            gone.set_value();
        });
        gone.get_future().get();
        for (auto& each : calls) {
            try {
                static_cast<void>(each.get());
            } catch (const StepError& error) {
                CHECK(error.code() == "Timeout");  // it was with one that has gone
            }
        }
    }
    // What it still has to do there is done.
    std::promise<void> done;
    asio::post(loop.executor(), [&] { asio::post(loop.executor(), [&] { done.set_value(); }); });
    done.get_future().get();
    io.stop();
    for (std::thread& thread : threads) thread.join();
}

TEST_CASE("a server may be drained by its tool's thread and another one at once",
          "[redis][thread]") {
    CallShop shop;
    const auto nothing = step([](IAsyncSteps&, const std::string&, const ServedCall&) {});
    for (int i = 0; i < 30; ++i) {
        Server server(shop.tool, shop.served, {{"nothing", nothing}});
        std::size_t drained = 1;
        std::thread other([&] { drained = server.drain(0).get(); });
        run(shop.tool, step([&](IAsyncSteps& asi) { asi.await(server.drain(0)); })).get();
        other.join();
        CHECK(drained == 0);
    }
}
