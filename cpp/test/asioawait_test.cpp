#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "asiolibrary.hpp"
#include "catch.hpp"
#include "codeof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/delay.hpp"
#include "steptree/nitrosteps.hpp"
#include "steptree/parallel.hpp"
#include "steptree/retry.hpp"
#include "steptree/scope.hpp"
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

namespace {

using Tcp = asio::ip::tcp;

/// Two ends of a connection.
struct Pair {
    Pair(asio::io_context& io, Tcp::acceptor& acceptor) : near(io), far(io) {
        near.connect(acceptor.local_endpoint());
        acceptor.accept(far);
    }
    Tcp::socket near, far;
};

/// Reads into what the step holds.
auto reading(Pair& pair) {
    return [&pair, text = std::string(100, 'x')](IAsyncSteps& asi) {
        auto& line = asi.stack<std::string>(std::string(40, 'y'));
        asi.setCancel([](IAsyncSteps&) {});
        asi.await(asio::async_read_until(pair.near, asio::dynamic_buffer(line), '\n', asioAwaited));
    };
}

/// Reads into what a coroutine holds.
auto readingTask(Pair& pair) {
    return [&pair, text = std::string(100, 'x')](IAsyncSteps&) -> Task<> {
        std::string line(64, 'z');
        co_await asio::async_read(pair.near, asio::buffer(line), asioAwaited);
    };
}

/// Ways in which operations lose: timeouts, siblings, attempts, names and hosts that don't answer.
void fill(AsyncSteps& flow, asio::io_context& io, Pair& pair, int way) {
    const auto recover = [](IAsyncSteps& asi, ErrorCode) { asi.success(); };
    if (way == 0) {
        flow.add(
            [&pair](IAsyncSteps& asi) {
                asi.setTimeout(1);
                asi.add(reading(pair)).add([](IAsyncSteps&) {});
            },
            recover);
    } else if (way == 1) {
        flow.add(
            [&pair](IAsyncSteps& asi) {
                asi.setTimeout(1);
                asi.add(readingTask(pair)).add([](IAsyncSteps&) {});
            },
            [](IAsyncSteps& asi, ErrorCode) {
                asi.add(steptree::delay(1));
                asi.add([](IAsyncSteps& asi) { asi.stack<std::string>(std::string(60, 'q')); });
            });
    } else if (way == 2) {
        flow.add(race(reading(pair), readingTask(pair), delay(1)));
    } else if (way == 3) {
        flow.loop([&pair](IAsyncSteps& asi) {
            asi.add(steptree::retry({.max = 2, .backoff = {.base = 0}},
                                    [&pair](IAsyncSteps& asi, std::int64_t) {
                                        asi.setTimeout(1);
                                        asi.add(reading(pair));
                                    }));
        });
    } else {
        flow.add(
            [&io](IAsyncSteps& asi) {
                asi.setTimeout(1);
                auto& resolver = asi.stack<Tcp::resolver>(io);
                auto& socket = asi.stack<Tcp::socket>(io);
                auto& both = asi.parallel();
                both.await(resolver.async_resolve("localhost", "1", asioAwaited));
                both.await(
                    socket.async_connect({asio::ip::address_v4::loopback(), 1}, asioAwaited));
                both.add(steptree::delay(5));
            },
            recover);
    }
}

/// Ten flows whose operations lose, at last by a cancel, a destruction, or the end of the tool.
int loseTen(int round) {
    asio::io_context io;
    auto loop = std::make_unique<AsioTool>(io);
    Tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    std::vector<std::unique_ptr<Pair>> pairs;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    int ended = 0;
    for (int i = 0; i < 10; ++i) {
        pairs.push_back(std::make_unique<Pair>(io, acceptor));
        Options options;
        options.grace = std::chrono::milliseconds((round + i) % 3);
        options.report = [](auto&&...) {};
        flows.push_back(std::make_unique<AsyncSteps>(loop->tool(), std::move(options)));
        fill(*flows.back(), io, *pairs.back(), (round + i) % 5);
        flows.back()->execute([&](Outcome&) { ++ended; });
    }
    asio::steady_timer end(io, std::chrono::milliseconds(2 + round % 3));
    end.async_wait([&](auto) {
        for (auto& flow : flows) {
            if (round % 3 == 0) flow->cancel();
            if (round % 3 == 1) flow.reset();
        }
        if (round % 3 == 2) io.stop();
    });
    io.run();
    if (round % 2 == 0) loop.reset();
    flows.clear();
    loop.reset();
    io.restart();
    io.poll();
    return ended;
}

}  // namespace

TEST_CASE("operations that lose leave what they use till they have ended" WITH_ASIO,
          "[asioawait]") {
    constexpr int kRounds = 1000;  // of ten, one of three is destroyed
    int ended = 0;
    for (int round = 0; round < kRounds; ++round) ended += loseTen(round);
    CHECK(ended > kRounds);
}

TEST_CASE("operations of owned flows keep what they use when their tool goes" WITH_ASIO,
          "[asioawait]") {
    for (int round = 0; round < 100; ++round) {
        asio::io_context io;
        Tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
        std::vector<std::unique_ptr<Pair>> pairs;
        const auto held = std::make_shared<int>();
        auto loop = std::make_unique<AsioTool>(io);
        auto scope = std::make_unique<steptree::Scope>(loop->tool());
        for (int i = 0; i < 10; ++i) {
            Pair& pair = *pairs.emplace_back(std::make_unique<Pair>(io, acceptor));
            const auto value =
                steptree::step([&pair, held](IAsyncSteps& asi) { asi.add(reading(pair)); });
            if (i % 2 == 0) {
                scope->start(value);
            } else {
                loop->tool().start(value);
            }
        }
        asio::steady_timer end(io, std::chrono::milliseconds(1));
        end.async_wait([&](auto) {
            if (round % 4 == 0) scope->close();
            io.stop();
        });
        io.run();
        if (round % 2 == 0) scope.reset();
        loop.reset();
        scope.reset();
        io.restart();
        io.poll();
        CHECK(held.use_count() == 1);
    }
}

TEST_CASE("cancel handlers are called when the operation has ended" WITH_ASIO, "[asioawait]") {
    asio::io_context io;
    AsioTool loop(io);
    Tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    Pair pair(io, acceptor);
    AsyncSteps flow(loop.tool());
    std::string log;
    flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { log += "handler "; });
        asi.add(reading(pair));
    });
    flow.execute([&](Outcome&) { log += "done"; });
    asio::post(io, [&] {
        flow.cancel();
        log += "returned ";
    });
    io.run();
    CHECK(log == "returned handler done");
}

TEST_CASE("a detached operation is waited for by nobody" WITH_ASIO, "[asioawait]") {
    asio::io_context io;
    AsioTool loop(io);
    asio::steady_timer never(io, std::chrono::hours(1));
    AsyncSteps flow(loop.tool());
    std::string log;
    flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { log += "handler "; });
        asi.await(never.async_wait(asioDetached));
    });
    flow.execute([&](Outcome&) { log += "done"; });
    asio::post(io, [&] {
        flow.cancel();
        log += "returned ";
    });
    io.run();
    CHECK(log == "handler returned done");
}

TEST_CASE("an operation whose handler is dropped fails its step" WITH_ASIO, "[asioawait][thread]") {
    AsyncTool tool;
    AsyncSteps flow(tool);
    auto io = std::make_unique<asio::io_context>();
    auto never = std::make_unique<asio::steady_timer>(*io, std::chrono::hours(1));
    flow.await(never->async_wait(asioAwaited));
    auto promise = flow.promise();
    AsyncSteps after(tool);
    after.promise().get();
    never.reset();
    io.reset();
    CHECK(rig::codeOf([&] { promise.get(); }) != "");
}

namespace {

/// What an operation remembers: as libraries do, in memory of its handler's allocator.
template <class Handler>
struct Remembered {
    explicit Remembered(Handler handler) : handler(std::move(handler)) {}
    Handler handler;
};

struct BeginsRemembered {
    std::shared_ptr<void>& all;

    template <class Handler>
    void operator()(Handler&& handler) const {
        using Kept = Remembered<std::decay_t<Handler>>;
        const auto allocator = asio::get_associated_allocator(handler);
        all = std::allocate_shared<Kept>(allocator, std::forward<Handler>(handler));
    }
};

}  // namespace

TEST_CASE("an operation that is dropped after its step has closed gives its memory back" WITH_ASIO,
          "[asioawait]") {
    asio::io_context io;
    AsioTool loop(io);
    std::shared_ptr<void> remembered;
    AsyncSteps flow(loop.tool());
    flow.add([&](IAsyncSteps& asi) {
        asi.await(asio::async_initiate<const AsioDetached&, void(int)>(BeginsRemembered{remembered},
                                                                       asioDetached));
    });
    flow.execute();
    io.run();
    CHECK(flow.running());
    flow.cancel();
    CHECK_FALSE(flow.running());
    CHECK(remembered.use_count() == 1);
    remembered.reset();
}

TEST_CASE("an operation that may outlive its step is refused by flows of other memory" WITH_ASIO,
          "[asioawait]") {
    asio::io_context io;
    AsioTool loop(io);
    asio::steady_timer soon(io, std::chrono::milliseconds(1));
    NitroSteps<MaxSteps<4>, MaxAwaits<1>> flow(loop.tool());
    std::string code;
    flow.await(soon.async_wait(asioAwaited), [&](IAsyncSteps& asi, ErrorCode given) {
        code = given;
        asi.success();
    });
    flow.execute();
    io.run();
    CHECK(code == "InternalError");
}

#endif
