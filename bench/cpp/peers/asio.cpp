// Standalone Asio: awaitables of the io_context's own executor, without type erasure, and without
// locks where there is one thread. Coroutines are started inside of the io_context, where Asio
// recycles their memory; what completes them runs there too.
#include <algorithm>
#include <asio.hpp>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "../batch.hpp"
#include "../harness.hpp"
#include "../rounds.hpp"

namespace bench {

const char* version() noexcept {
    static const std::string text = "Asio " + std::to_string(ASIO_VERSION / 100'000) + "." +
                                    std::to_string(ASIO_VERSION / 100 % 1000) + "." +
                                    std::to_string(ASIO_VERSION % 100);
    return text.c_str();
}

namespace {

using Executor = asio::io_context::executor_type;
using Awaitable = asio::awaitable<void, Executor>;
using Token = asio::use_awaitable_t<Executor>;
using Handler = asio::async_result<Token, void()>::handler_type;

/// The io_context of one thread.
struct Loop {
    asio::io_context io{ASIO_CONCURRENCY_HINT_UNSAFE};

    template <class Done = asio::detached_t>
    void spawn(Awaitable flow, Done done = {}) {
        asio::co_spawn(io.get_executor(), std::move(flow), done);
    }
    /// Calls it inside of the io_context, and runs what comes of it.
    template <class F>
    void inside(F&& call) {
        asio::post(io, std::forward<F>(call));
        io.restart();
        io.poll();
    }
};

/// What a coroutine waits for. Posting lets it go on in its turn, dispatching inside of the call;
/// either of them is quicker somewhere.
class Event {
  public:
    auto wait() {
        return asio::async_initiate<const Token, void()>(
            [this](Handler handler) { handler_.emplace(std::move(handler)); }, kToken);
    }
    void post() { asio::post(take()); }
    void dispatch() { asio::dispatch(take()); }

  private:
    static constexpr Token kToken{};

    Handler take() {
        Handler handler = std::move(*handler_);
        handler_.reset();
        return handler;
    }

    std::optional<Handler> handler_;
};
using Events = Batch<Event>;

Awaitable body(std::size_t& bodies) {
    ++bodies;
    co_return;
}

Awaitable waitOnce(Event& event, std::size_t& completed) {
    co_await event.wait();
    ++completed;
}

/// Starts one flow after another, each from the end of the one before.
template <class Make>
struct Chain {
    Loop& loop;
    std::size_t& left;
    Make make;

    void operator()(std::exception_ptr = {}) const {
        if (left-- > 0) loop.spawn(make(), *this);
    }
};

template <class Make>
void runFlows(Run& run, Loop& loop, std::size_t flows, Make make) {
    std::size_t left = flows;
    run.start();
    loop.inside(Chain<Make>{loop, left, make});
    run.stop();
}

void simple(Run& run) {
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, run.size, [&bodies] { return body(bodies); });
    run.expect("bodies", bodies, run.size);
}

void parallel(Run& run) {
    Loop loop;
    const std::size_t room = std::min(run.size, kWaiting);
    Events events(room);
    std::size_t completed = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        loop.inside([&] {
            for (std::size_t i = 0; i < size; ++i) {
                loop.spawn(waitOnce(events.emplace(), completed));
            }
        });
        loop.inside([&events] {
            for (Event& event : events) event.post();
        });
        events.clear();
        left -= size;
    }
    run.stop();
    run.expect("completed", completed, run.size);
}

Awaitable waitOften(Event& event, std::size_t& iterations, const bool& stopped) {
    while (true) {
        co_await event.wait();
        if (stopped) break;
        ++iterations;
    }
}

void runSwitches(Run& run, std::size_t count) {
    Loop loop;
    Events events(count);
    std::size_t iterations = 0;
    bool stopped = false;
    loop.inside([&] {
        for (std::size_t i = 0; i < count; ++i) {
            loop.spawn(waitOften(events.emplace(), iterations, stopped));
        }
    });
    const auto notifyAll = [&events] {
        for (Event& event : events) event.dispatch();
    };
    const std::size_t rounds = (run.size + count - 1) / count;
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) loop.inside(notifyAll);
    run.stop();
    run.performed(rounds * count);
    run.expect("iterations", iterations, rounds * count);
    stopped = true;
    loop.inside(notifyAll);
}

void parallelLoops(Run& run) {
    runSwitches(run, std::min(run.size, kWaiting));
}
template <std::size_t count>
void growsSwitch(Run& run) {
    runSwitches(run, count);
}

/// Coroutines that wait, all completed at the end.
struct Waiting {
    Waiting(Loop& where, std::size_t count) : loop(where), events(count) {
        loop.inside([&] {
            for (std::size_t i = 0; i < count; ++i) {
                loop.spawn(waitOnce(events.emplace(), completed));
            }
        });
    }
    void finish(const Run& run) {
        loop.inside([this] {
            for (Event& event : events) event.post();
        });
        run.expect("completed", completed, events.size());
    }

    Loop& loop;
    Events events;
    std::size_t completed = 0;
};

template <std::size_t count>
void growsSimple(Run& run) {
    Loop loop;
    Waiting waiting(loop, count);
    std::size_t bodies = 0;
    runFlows(run, loop, run.size, [&bodies] { return body(bodies); });
    run.expect("bodies", bodies, run.size);
    waiting.finish(run);
}

void waitingBytes(Run& run) {
    Loop loop;
    const std::size_t before = residentBytes();
    run.start();
    Waiting waiting(loop, run.size);
    run.stop();
    run.usesMemory(before, residentBytes());
    waiting.finish(run);
}

Awaitable chain(std::size_t steps, std::size_t& bodies) {
    for (std::size_t i = 0; i < steps; ++i) co_await body(bodies);
}

void step(Run& run) {
    constexpr std::size_t steps = 100;
    const std::size_t flows = (run.size + steps - 1) / steps;
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, flows, [&bodies] { return chain(steps, bodies); });
    run.performed(flows * steps);
    run.expect("bodies", bodies, flows * steps);
}

void repeatStep(Run& run) {
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, 1, [&run, &bodies] { return chain(run.size, bodies); });
    run.expect("bodies", bodies, run.size);
}

Awaitable throws(int levels) {
    if (levels == 1) throw std::runtime_error("Refused");
    co_await throws(levels - 1);
}

Awaitable handles(std::size_t& recovered) {
    try {
        co_await throws(2);
    } catch (const std::runtime_error&) {
        ++recovered;
    }
}

void errorThrown(Run& run) {
    Loop loop;
    std::size_t recovered = 0;
    runFlows(run, loop, run.size, [&recovered] { return handles(recovered); });
    run.expect("errors that were handled", recovered, run.size);
}

/// Cheaper than Asio's own parallel_group: a count and an event.
Awaitable branches(Loop& loop, std::size_t& bodies) {
    Event ended;
    int left = 10;
    for (int i = 0; i < 10; ++i) {
        loop.spawn(body(bodies), [&ended, &left](std::exception_ptr) {
            if (--left == 0) ended.dispatch();
        });
    }
    co_await ended.wait();
}

void parallel10(Run& run) {
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, run.size, [&loop, &bodies] { return branches(loop, bodies); });
    run.expect("bodies", bodies, 10 * run.size);
}

Awaitable nest(std::size_t levels, std::size_t& bodies) {
    ++bodies;
    if (levels > 1) co_await nest(levels - 1, bodies);
}

template <std::size_t levels>
void growsNesting(Run& run) {
    const std::size_t flows = (run.size + levels - 1) / levels;
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, flows, [&bodies] { return nest(levels, bodies); });
    run.performed(flows * levels);
    run.expect("bodies", bodies, flows * levels);
}

/// Timers without a coroutine around them.
void setAndCancel(Run& run, Loop& loop, asio::steady_timer& timer) {
    std::size_t cancelled = 0;
    run.start();
    loop.inside([&] {
        for (std::size_t i = 0; i < run.size; ++i) {
            timer.expires_after(std::chrono::milliseconds(farDelay(i)));
            timer.async_wait([&cancelled](const asio::error_code& error) {
                if (error) ++cancelled;
            });
            timer.cancel();
            if (i % 100 == 99) loop.io.poll();
        }
    });
    run.stop();
    run.expect("cancelled", cancelled, run.size);
}

template <std::size_t count>
void timerCancel(Run& run) {
    Loop loop;
    Batch<asio::steady_timer> timers(count);
    for (std::size_t i = 0; i < count; ++i) {
        timers.emplace(loop.io, std::chrono::milliseconds(farDelay(i)));
        timers[i].async_wait([](const asio::error_code&) {});
    }
    asio::steady_timer timer(loop.io);
    setAndCancel(run, loop, timer);
}

void timerFired(Run& run) {
    Loop loop;
    Batch<asio::steady_timer> timers(run.size);
    std::size_t fired = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        timers.emplace(loop.io, std::chrono::milliseconds(timerDelay(i)));
        timers[i].async_wait([&fired](const asio::error_code&) { ++fired; });
    }
    loop.io.run();
    run.stop();
    run.expect("fired", fired, run.size);
}

using Handlers = Rounds<Handler>;

/// The initiation runs when the coroutine is suspended already.
Awaitable waitInTurn(Handlers& rounds, std::size_t& iterations, const std::atomic<bool>& stopped) {
    constexpr Token token{};
    while (!stopped.load(std::memory_order_relaxed)) {
        ++iterations;
        co_await asio::async_initiate<const Token, void()>(
            [&rounds](Handler handler) { rounds.add(std::move(handler)); }, token);
    }
}

void completionThread(Run& run) {
    std::size_t iterations = 0;
    std::atomic<bool> stopped{false};
    Handlers waiting(kRound);
    asio::io_context io{1};
    for (std::size_t i = 0; i < kRound; ++i) {
        asio::co_spawn(io.get_executor(), waitInTurn(waiting, iterations, stopped), asio::detached);
    }
    std::thread thread([&io] { io.run(); });
    const auto complete = [](Handler& handler) { asio::post(std::move(handler)); };
    const std::size_t rounds = (run.size + kRound - 1) / kRound;
    waiting.await();
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) waiting.complete(complete);
    waiting.await();
    run.stop();
    run.performed(rounds * kRound);
    stopped = true;
    waiting.complete(complete);
    thread.join();
    run.expect("iterations", iterations, (rounds + 1) * kRound);
}

const Scenario scenarios[] = {
    {"simple", simple},
    {"parallel", parallel},
    {"parallel_loops", parallelLoops},
    {"step", step},
    {"repeat_step", repeatStep},
    {"error_thrown", errorThrown},
    {"parallel10", parallel10},
    {"timer_cancel", timerCancel<kArmed>},
    {"deferred_cancel", timerCancel<kArmed>},
    {"timer_fired", timerFired},
    {"completion_thread", completionThread, {.small = 10'000}},
    {"waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"grows_simple_1k", growsSimple<1000>, kGrows},
    {"grows_simple_30k", growsSimple<30'000>, kGrows},
    {"grows_simple_300k", growsSimple<300'000>, kGrows},
    {"grows_simple_1M", growsSimple<1'000'000>, kGrows},
    {"grows_switch_1k", growsSwitch<1000>, kGrows},
    {"grows_switch_30k", growsSwitch<30'000>, kGrows},
    {"grows_switch_300k", growsSwitch<300'000>, kGrows},
    {"grows_switch_1M", growsSwitch<1'000'000>, kGrows},
    {"grows_nesting_1", growsNesting<1>},
    {"grows_nesting_10", growsNesting<10>},
    {"grows_nesting_100", growsNesting<100>},
    {"grows_nesting_1k", growsNesting<1000>},
    {"grows_nesting_10k", growsNesting<10'000>},
    {"grows_timers_1k", timerCancel<1000>, kGrows},
    {"grows_timers_30k", timerCancel<30'000>, kGrows},
    {"grows_timers_300k", timerCancel<300'000>, kGrows},
    {"grows_timers_1M", timerCancel<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
