#include <algorithm>

#include "fiber.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A fiber waits, each time with a deadline, for an event that is always sooner; others wait with
/// deadlines of their own. The clock is read once: who waits for the first time has just been run.
void timerCancel(Run& run) {
    Waiting others(kArmed);
    const Clock::time_point start = Clock::now();
    std::size_t sooner = 0;
    for (std::size_t i = 0; i < kArmed; ++i) {
        others.add([start, i, &sooner](Event& event) {
            sooner += event.waitUntil(start + milliseconds(farDelay(i))) ? 1 : 0;
        });
    }
    Waiting one(1);
    one.add([start, &run, &sooner](Event& event) {
        for (std::size_t i = 0; i < run.size; ++i) {
            sooner += event.waitUntil(start + milliseconds(farDelay(i))) ? 1 : 0;
        }
        while (event.waitUntil(Clock::now() + milliseconds(1))) ++sooner;
    });
    one.run();
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        one.notifyAll();
        one.run();
    }
    run.stop();
    one.join();
    run.expect("events before the deadline", sooner, run.size);
    others.notifyAll();
    others.join();
    run.expect("events before the deadline", sooner, run.size + kArmed);
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
