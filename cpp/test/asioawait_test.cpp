#include <chrono>
#include <string>

#include "asiolibrary.hpp"
#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/task.hpp"

TEST_CASE("a step awaits an operation of Asio's" WITH_ASIO, "[asioawait]") {
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
        } catch (const AsioSystemError& error) {
            log += error.code() == asio::error::operation_aborted ? "aborted" : "?";
        }
    });
    flow.execute();
    io.run();
    CHECK(log == "soon again aborted");
}

#if defined(ASIO_HAS_SLOTS)

TEST_CASE("an operation of Asio's is cancelled with the step that awaits it" WITH_ASIO,
          "[asioawait]") {
    asio::io_context io;
    AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    asio::steady_timer never(io, std::chrono::hours(1));
    std::string got;
    flow.add(
        [&](IAsyncSteps& asi) {
            asi.setTimeout(1);
            asi.await(never.async_wait(asioAwaited));
        },
        [&](IAsyncSteps& asi, ErrorCode code) {
            got = code;
            asi.success();
        });
    flow.execute();
    io.run();
    CHECK(got == "Timeout");
    CHECK(never.cancel() == 0);
}

#endif
