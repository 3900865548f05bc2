#include <algorithm>

#include "fiber.hpp"

namespace bench {
namespace {

void parallel(Run& run) {
    const std::size_t room = std::min(run.size, kWaiting);
    Waiting waiting(room);
    std::size_t completed = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        addWaiting(waiting, size, completed);
        waiting.notifyAll();
        waiting.join();
        left -= size;
    }
    run.stop();
    run.expect("completed", completed, run.size);
}

void runSwitches(Run& run, std::size_t count) {
    Waiting waiting(count);
    std::size_t iterations = 0;
    bool stopped = false;
    for (std::size_t i = 0; i < count; ++i) {
        waiting.add([&iterations, &stopped](Event& event) {
            while (true) {
                event.wait();
                if (stopped) break;
                ++iterations;
            }
        });
    }
    waiting.run();
    const std::size_t rounds = (run.size + count - 1) / count;
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) {
        waiting.notifyAll();
        waiting.run();
    }
    run.stop();
    run.performed(rounds * count);
    run.expect("iterations", iterations, rounds * count);
    stopped = true;
    waiting.notifyAll();
    waiting.join();
}

void parallelLoops(Run& run) {
    runSwitches(run, std::min(run.size, kWaiting));
}
template <std::size_t count>
void growsSwitch(Run& run) {
    runSwitches(run, count);
}

const Scenario scenarios[] = {
    {"parallel", parallel},
    {"parallel_loops", parallelLoops},
    {"grows_switch_1k", growsSwitch<1000>, kGrows},
    {"grows_switch_30k", growsSwitch<30'000>, kGrows},
};

}  // namespace
}  // namespace bench
