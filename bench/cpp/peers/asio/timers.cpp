#include <chrono>

#include "asio.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How often the loop looks what is ready, and what time it is.
constexpr std::size_t kTurn = 100;

/// Timers without a coroutine around them.
void timerCancel(Run& run) {
    Loop loop;
    Batch<asio::steady_timer> timers(kArmed);
    for (std::size_t i = 0; i < kArmed; ++i) {
        timers.emplace(loop.io, milliseconds(farDelay(i)));
        timers[i].async_wait([](const asio::error_code&) {});
    }
    asio::steady_timer timer(loop.io);
    std::size_t cancelled = 0;
    run.start();
    loop.inside([&] {
        Clock::time_point now;
        for (std::size_t i = 0; i < run.size; ++i) {
            if (i % kTurn == 0) now = Clock::now();
            timer.expires_at(now + milliseconds(farDelay(i)));
            timer.async_wait([&cancelled](const asio::error_code& error) {
                cancelled += error == asio::error::operation_aborted ? 1 : 0;
            });
            timer.cancel();
            if (i % kTurn == kTurn - 1) loop.io.poll();
        }
    });
    run.stop();
    run.expect("cancelled", cancelled, run.size);
}

/// A coroutine with a deadline, whose work succeeds at once.
Awaitable limited(Loop& loop, Clock::time_point deadline, std::size_t& bodies,
                  std::size_t& cancelled) {
    asio::steady_timer timer(loop.io, deadline);
    timer.async_wait([&cancelled](const asio::error_code& error) {
        cancelled += error == asio::error::operation_aborted ? 1 : 0;
    });
    ++bodies;
    co_return;
}

Awaitable waitsLimited(Loop& loop, std::size_t i, Event& event, std::size_t& cancelled) {
    asio::steady_timer timer(loop.io, milliseconds(farDelay(i)));
    timer.async_wait([&cancelled](const asio::error_code& error) {
        cancelled += error == asio::error::operation_aborted ? 1 : 0;
    });
    co_await event.wait();
}

template <std::size_t count>
void growsTimers(Run& run) {
    Loop loop;
    Events events(count);
    std::size_t bodies = 0;
    std::size_t cancelled = 0;
    loop.inside([&] {
        for (std::size_t i = 0; i < count; ++i) {
            loop.spawn(waitsLimited(loop, i, events.emplace(), cancelled));
        }
    });
    std::size_t next = 0;
    Clock::time_point now;
    runFlows(run, loop, run.size, [&] {
        if (next % kTurn == 0) now = Clock::now();
        const auto deadline = now + milliseconds(farDelay(next++));
        return limited(loop, deadline, bodies, cancelled);
    });
    run.expect("bodies", bodies, run.size);
    run.expect("cancelled", cancelled, run.size);
    loop.inside([&events] {
        for (Event& event : events) event.post();
    });
    run.expect("cancelled", cancelled, run.size + count);
}

void timerFired(Run& run) {
    Loop loop;
    Batch<asio::steady_timer> timers(run.size);
    std::size_t fired = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        timers.emplace(loop.io, milliseconds(timerDelay(i)));
        timers[i].async_wait([&fired](const asio::error_code&) { ++fired; });
    }
    loop.io.run();
    run.stop();
    run.expect("fired", fired, run.size);
}

const Scenario scenarios[] = {
    {"timer_cancel", timerCancel},
    {"deferred_cancel", timerCancel},
    {"timer_fired", timerFired},
    {"grows_timers_1k", growsTimers<1000>, kGrows},
    {"grows_timers_30k", growsTimers<30'000>, kGrows},
    {"grows_timers_300k", growsTimers<300'000>, kGrows},
    {"grows_timers_1M", growsTimers<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
