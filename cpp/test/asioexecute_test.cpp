#include <future>
#include <memory>
#include <string>
#include <thread>

#include "asiolibrary.hpp"
#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/delay.hpp"

namespace {

std::string codeOf(const std::exception_ptr& error) {
    if (error == nullptr) return "none";
    try {
        std::rethrow_exception(error);
    } catch (const StepError& thrown) {
        return thrown.code();
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
}

}  // namespace

TEST_CASE("any completion token of Asio's learns how a flow has ended" WITH_ASIO, "[asioexecute]") {
    asio::io_context io;
    AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    int got = 0;
    flow.add(steptree::delay(1)).successStep(5);
    asyncExecute<int>(flow, [&](std::exception_ptr error, int value) {
        got = error == nullptr ? value : -1;
        flow.add([](IAsyncSteps& asi) { asi.error("Fails"); });
        asyncExecute(flow, [&](std::exception_ptr failed) {
            CHECK(codeOf(failed) == "Fails");
            flow.successStep(std::string("wrong"));
            asyncExecute<int>(flow, [&](std::exception_ptr mistaken, int) {
                CHECK(codeOf(mistaken) == "InternalError");
                flow.successStep(1, 2);
                asyncExecute<Results>(
                    flow, [&](std::exception_ptr, Results all) { got += all.at<int>(1); });
            });
        });
    });
    io.run();
    CHECK(got == 7);
    flow.successStep(std::make_unique<int>(3));
    auto future = asyncExecute<std::unique_ptr<int>>(flow, asio::use_future);
    io.restart();
    io.run();
    CHECK(*future.get() == 3);
}

#if defined(ASIO_HAS_SLOTS)

TEST_CASE("a flow that runs is not executed as an operation of Asio's" WITH_ASIO, "[asioexecute]") {
    asio::io_context io;
    AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    asio::cancellation_signal signal;
    bool called = false;
    flow.add(steptree::delay(1));
    flow.execute();
    CHECK_THROWS_AS(
        asyncExecute(flow, asio::bind_cancellation_slot(
                               signal.slot(), [&](std::exception_ptr) { called = true; })),
        StepError);
    signal.emit(asio::cancellation_type::terminal);  // is nobody's any more
    io.run();
    CHECK_FALSE(called);
    CHECK_FALSE(flow.running());
}

#endif

// Asio 1.22 knows no coroutines of clang 14; those of Task are no concern of its.
#if defined(ASIO_HAS_CO_AWAIT) && defined(ASIO_HAS_SLOTS)

TEST_CASE("a coroutine of Asio's awaits a flow, and its cancellation cancels that" WITH_ASIO,
          "[asioexecute]") {
    asio::io_context io;
    AsioTool loop(io);
    asio::cancellation_signal signal;
    std::string log;
    const auto body = [&]() -> asio::awaitable<int> {
        AsyncSteps flow(loop.tool());
        flow.add(steptree::delay(1)).successStep(std::string("first "));
        log += co_await asyncExecute<std::string>(flow, asio::use_awaitable);
        flow.add([&](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { log += "closed "; });
            loop.tool().deferred(5, [&] { signal.emit(asio::cancellation_type::terminal); });
        });
        try {
            co_await asyncExecute(flow, asio::use_awaitable);
        } catch (const StepError& error) {
            log += error.code();
        }
        co_return 5;
    };
    int got = 0;
    asio::co_spawn(io, body(),
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](std::exception_ptr, int value) { got = value; }));
    io.run();
    CHECK(log == "first closed Canceled");
    CHECK(got == 5);
}

TEST_CASE("the handler of a flow on another thread is called by its own executor" WITH_ASIO,
          "[asioexecute][thread]") {
    AsyncTool tool;
    asio::io_context io;
    AsyncSteps flow(tool);
    int got = 0;
    const auto home = std::this_thread::get_id();
    asio::cancellation_signal signal;
    for (int i = 0; i < 50; ++i) {
        flow.add([&, i](IAsyncSteps& asi) {
            if (i % 2 == 0)
                asi.success(std::this_thread::get_id() == home ? -1000 : 1);
            else
                asi.waitExternal();
        });
        asio::co_spawn(
            io,
            [&]() -> asio::awaitable<void> {
                try {
                    got += co_await asyncExecute<int>(flow, asio::use_awaitable);
                } catch (const StepError&) {
                    got += 100;
                }
                if (std::this_thread::get_id() != home) got = -1000;
            },
            asio::bind_cancellation_slot(signal.slot(), asio::detached));
        asio::post(io, [&] {
            signal.emit(i % 2 == 0 ? asio::cancellation_type::none
                                   : asio::cancellation_type::terminal);
        });
        io.restart();
        io.run();
    }
    CHECK(got == 25 + 2500);
}

#endif
