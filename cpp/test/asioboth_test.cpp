#include "asioboth.hpp"

#include <string>
#include <thread>

#include "asiolibrary.hpp"
#include "catch.hpp"
#include "steptree/asyncsteps.hpp"

TEST_CASE("a program may have tools of both Asios", "[asiotool][thread]") {
    asio::io_context io;
    AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    asio::steady_timer timer(io, std::chrono::milliseconds(1));
    auto guard = asio::make_work_guard(io);
    std::string log;
    std::thread boost;
    flow.await(timer.async_wait(asioAwaited)).add([&](IAsyncSteps& asi) {
        log += "asio ";
        boost = std::thread([done = asi.waitExternal()] { tellFromBoost(done); });
    });
    flow.add([&](IAsyncSteps&, std::string boosts) {
        log += boosts;
        guard.reset();
    });
    flow.execute();
    io.run();
    boost.join();
    CHECK(log == "asio boost");
}
