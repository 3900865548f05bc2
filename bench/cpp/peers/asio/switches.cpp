#include <algorithm>

#include "asio.hpp"

namespace bench {
namespace {

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
        for (Event& event : events) {
#ifdef ASIO_INLINE
            event.dispatch();
#else
            event.post();
#endif
        }
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

const Scenario scenarios[] = {
    {"parallel_loops", parallelLoops},
    {"grows_switch_1k", growsSwitch<1000>, kGrows},
    {"grows_switch_30k", growsSwitch<30'000>, kGrows},
    {"grows_switch_300k", growsSwitch<300'000>, kGrows},
    {"grows_switch_1M", growsSwitch<1'000'000>, kGrows},
};

}  // namespace
}  // namespace bench
