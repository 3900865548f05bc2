#include <algorithm>

#include "fiber.hpp"

namespace bench {
namespace {

void timerCancel(Run& run) {
    Stack stack;
    Event event;
    std::size_t timeouts = 0;
    fiber waits = start(stack, [&] {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
        for (std::size_t i = 0; i < run.size; ++i) timeouts += event.waitUntil(deadline) ? 0 : 1;
    });
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        event.notify();
        boost::this_fiber::yield();
    }
    run.stop();
    waits.join();
    run.expect("timeouts", timeouts, 0U);
}

/// A fiber has no timer but its sleep; no more than fit into memory sleep at a time.
void timerFired(Run& run) {
    const std::size_t room = std::min(run.size, kWaiting);
    Waiting waiting(room);
    std::size_t fired = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        for (std::size_t i = 0; i < size; ++i) {
            waiting.add([&fired, i](Event&) {
                boost::this_fiber::sleep_for(std::chrono::milliseconds(timerDelay(i)));
                ++fired;
            });
        }
        waiting.join();
        left -= size;
    }
    run.stop();
    run.expect("fired", fired, run.size);
}

const Scenario scenarios[] = {
    {"timer_cancel", timerCancel},
    {"timer_fired", timerFired},
};

}  // namespace
}  // namespace bench
