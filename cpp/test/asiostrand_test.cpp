#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "asiolibrary.hpp"
#include "catch.hpp"
#include "steptree/asyncsteps.hpp"

namespace {

constexpr int kThreads = 4;

void runOnThreads(asio::io_context& io) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&io] { io.run(); });
    for (std::thread& thread : threads) thread.join();
}

std::string infoOf(const StepError& error) {
    return error.code() + ": " + error.info();
}

}  // namespace

TEST_CASE("several threads run the strand of a tool, one after the other" WITH_ASIO,
          "[asiotool][thread]") {
    asio::io_context io;
    AsioTool loop(io.get_executor());
    constexpr int kRounds = 200;
    int count = 0;  // as all bodies and handlers of the strand do, without a lock
    int ended = 0;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<std::unique_ptr<asio::steady_timer>> timers;
    for (int f = 0; f < kThreads; ++f) {
        // Not of the strand: what is awaited comes back to it.
        auto& timer = *timers.emplace_back(std::make_unique<asio::steady_timer>(io));
        auto& flow = *flows.emplace_back(std::make_unique<AsyncSteps>(loop.tool()));
        flow.repeat(kRounds, [&](IAsyncSteps& asi) {
            asi.setTimeout(60'000);
            asi.add([&](IAsyncSteps& inner) {
                timer.expires_after(std::chrono::microseconds(10));
                inner.await(timer.async_wait(asioAwaited));
            });
            asi.add([&](IAsyncSteps& inner) {
                ++count;
                asio::post(io, [done = inner.waitExternal()] { done.success(); });
            });
            asi.add([&](IAsyncSteps& inner) {
                asio::post(loop.executor(), [&, done = inner.waitExternal()] {
                    ++count;
                    done.success();
                });
            });
        });
        flow.execute([&](Outcome& outcome) { ended += outcome.kind == OutcomeKind::ok ? 1 : 0; });
    }
    runOnThreads(io);
    CHECK(count == 2 * kThreads * kRounds);
    CHECK(ended == kThreads);
}

#if defined(ASIO_HAS_SLOTS)

TEST_CASE("operations of several handlers are cancelled on the tool's strand" WITH_ASIO,
          "[asiotool][thread]") {
    asio::io_context io;
    AsioTool loop(io.get_executor());
    using Socket = asio::local::stream_protocol::socket;
    constexpr int kRounds = 50;
    std::vector<std::unique_ptr<Socket>> sockets;
    std::vector<std::unique_ptr<std::string>> lines;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    int timeouts = 0;
    for (int f = 0; f < kThreads; ++f) {
        Socket& in = *sockets.emplace_back(std::make_unique<Socket>(io));
        Socket& out = *sockets.emplace_back(std::make_unique<Socket>(io));
        asio::local::connect_pair(in, out);
        auto& flow = *flows.emplace_back(std::make_unique<AsyncSteps>(loop.tool()));
        flow.repeat(kRounds, [&](IAsyncSteps& asi) {
            asi.add(
                [&](IAsyncSteps& inner) {
                    inner.setTimeout(1);
                    // Outlives the step, as the operation does.
                    auto& line = *lines.emplace_back(std::make_unique<std::string>());
                    asio::write(out, asio::buffer("part", 4));
                    inner.await(
                        asio::async_read_until(in, asio::dynamic_buffer(line), '\n', asioAwaited));
                },
                [&](IAsyncSteps& inner, ErrorCode code) {
                    if (code != errors::Timeout) return;
                    ++timeouts;
                    inner.success();
                });
        });
        flow.execute();
    }
    runOnThreads(io);
    CHECK(timeouts == kThreads * kRounds);
}

#endif

TEST_CASE("handlers of a tool's strand use flows directly" WITH_ASIO, "[asiotool][thread]") {
    asio::io_context io;
    const auto strand = asio::make_strand(io);
    AsioTool loop(strand);
    constexpr int kRounds = 200;
    int cancelled = 0;
    int whenBack = 0;
    int askedHere = 0;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    for (int i = 0; i < kRounds; ++i) {
        auto& flow = flows.emplace_back(std::make_unique<AsyncSteps>(loop.tool()));
        flow->add([&, i](IAsyncSteps& asi) {
            asi.setTimeout(60'000);
            asi.setCancel([&](IAsyncSteps&) { ++cancelled; });
            asio::post(strand, [&, i] {
                const int before = cancelled;
                if (i % 2 == 0) {
                    flows[i]->cancel();
                } else {
                    flows[i].reset();
                }
                whenBack += cancelled - before;
                askedHere +=
                    loop.tool().armedTimers() < kRounds && loop.tool().random() < 1 ? 1 : 0;
            });
        });
        flow->execute();
    }
    runOnThreads(io);
    CHECK(cancelled == kRounds);
    CHECK(whenBack == kRounds);
    CHECK(askedHere == kRounds);
}

TEST_CASE("a handler beside a tool's strand is refused what would wait for the tool" WITH_ASIO,
          "[asiotool]") {
    asio::io_context io;
    AsioTool loop(io.get_executor());
    int cancelled = 0;
    std::string refused;
    AsyncSteps flow(loop.tool());
    auto destroyed = std::make_unique<AsyncSteps>(loop.tool());
    for (AsyncSteps* each : {&flow, destroyed.get()}) {
        each->add([&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { ++cancelled; }); });
        each->execute();
    }
    const Canceller canceller = flow.canceller();
    asio::steady_timer soon(io, std::chrono::milliseconds(1));
    soon.async_wait([&](const auto&) {
        try {
            flow.cancel();
        } catch (const StepError& error) {
            refused = infoOf(error);
        }
        canceller.cancel();
        destroyed.reset();  // a little later
        CHECK(cancelled == 0);
    });
    io.run();
    CHECK(refused.find("InternalError: cancel: would wait for its tool") == 0);
    CHECK(cancelled == 2);
}

TEST_CASE("a thread beside those of a strand waits for the tool" WITH_ASIO, "[asiotool][thread]") {
    asio::io_context io;
    const auto keeps = asio::make_work_guard(io);
    AsioTool loop(io.get_executor());
    constexpr int kRounds = 200;
    std::atomic<int> began = 0;
    std::atomic<int> cancelled = 0;
    const auto start = [&] {
        auto flow = std::make_unique<AsyncSteps>(loop.tool());
        flow->add([&](IAsyncSteps& asi) {
            ++began;
            asi.setCancel([&](IAsyncSteps&) { ++cancelled; });
        });
        flow->execute();
        return flow;
    };
    const std::unique_ptr<AsyncSteps> first = start();
    std::thread drives([&io] { runOnThreads(io); });
    // Until one of them has driven it the tool is this thread's.
    const Canceller canceller = first->canceller();
    for (int i = 0; i < kRounds; ++i) {
        const std::unique_ptr<AsyncSteps> flow = start();
        flow->cancel();
        CHECK_FALSE(flow->running());
    }
    canceller.cancel();
    first->closed().get();
    io.stop();
    drives.join();
    CHECK(cancelled == began);
}

TEST_CASE("flows on a strand go after the threads that ran it" WITH_ASIO, "[asiotool][thread]") {
    asio::io_context io;
    AsioTool loop(io.get_executor());
    bool cancelled = false;
    {
        AsyncSteps flow(loop.tool());
        flow.add([&](IAsyncSteps& asi) { asi.setCancel([&](IAsyncSteps&) { cancelled = true; }); });
        flow.execute();
        runOnThreads(io);
        CHECK_FALSE(cancelled);
    }
    CHECK(cancelled);
}

TEST_CASE("a tool on a strand runs on that strand" WITH_ASIO, "[asiotool]") {
    asio::io_context io;
    const auto own = asio::make_strand(io);
    const asio::strand<asio::any_io_executor> erased(io.get_executor());
    int runs = 0;
    const auto check = [&](AsioTool& loop, const auto& strand) {
        loop.tool().immediate([&] { runs += strand.running_in_this_thread() ? 1 : 0; });
        io.restart();
        io.run();
    };
    AsioTool typed(own);
    check(typed, own);
    AsioTool hidden{asio::any_io_executor(own)};
    check(hidden, own);
    AsioTool hiddenErased{asio::any_io_executor(erased)};
    check(hiddenErased, erased);
    CHECK(runs == 3);
    CHECK(typed.executor() == asio::any_io_executor(own));
    CHECK(hidden.executor() == asio::any_io_executor(own));
}
