#include <chrono>

#include "asio.hpp"

namespace bench {
namespace {

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

const Scenario scenarios[] = {
    {"timer_cancel", timerCancel<kArmed>},
    {"deferred_cancel", timerCancel<kArmed>},
    {"timer_fired", timerFired},
    {"grows_timers_1k", timerCancel<1000>, kGrows},
    {"grows_timers_30k", timerCancel<30'000>, kGrows},
    {"grows_timers_300k", timerCancel<300'000>, kGrows},
    {"grows_timers_1M", timerCancel<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
