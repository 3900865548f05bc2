#include "steptree/asioawait.hpp"

#include <chrono>
#include <string>
#include <system_error>

#include "catch.hpp"
#include "steptree/asiotool.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/task.hpp"

using namespace steptree;

TEST_CASE("a step awaits an operation of Asio's, and cancels it when it is closed", "[asioawait]") {
    asio::io_context io;
    AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    asio::steady_timer soon(io, std::chrono::milliseconds(1));
    asio::steady_timer never(io, std::chrono::hours(1));
    std::string log;
    flow.await(soon.async_wait(asioAwaited)).add([&](IAsyncSteps&) { log += "soon "; });
    flow.add([&](IAsyncSteps& asi) -> Task<> {
        soon.expires_after(std::chrono::milliseconds(1));
        co_await soon.async_wait(asioAwaited);
        log += "again ";
        never.cancel_one();
        asi.add([&](IAsyncSteps& asi) { asi.await(never.async_wait(asioAwaited)); });
        loop.tool().deferred(1, [&] { never.cancel(); });
        try {
            co_await asi;
        } catch (const std::system_error& error) {
            log += error.code() == asio::error::operation_aborted ? "aborted " : "?";
        }
        try {
            co_await asi.add([&](IAsyncSteps& asi) {
                asi.setTimeout(1);
                asi.await(never.async_wait(asioAwaited));
            });
        } catch (const StepError& error) {
            log += error.code();
        }
    });
    flow.execute();
    io.run();
    CHECK(log == "soon again aborted Timeout");
    CHECK(never.cancel() == 0);
}
