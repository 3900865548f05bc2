// The fibers' mutex. One that has unlocked it and goes on would get it again: so it lets others
// run.
#include <mutex>

#include "fiber.hpp"

namespace bench {
namespace {

void lock(Run& run) {
    Stack stack;
    fibers::mutex mutex;
    std::size_t sections = 0;
    run.start();
    start(stack, [&] {
        for (std::size_t i = 0; i < run.size; ++i) {
            const std::lock_guard locked(mutex);
            keep(++sections);
        }
    }).join();
    run.stop();
    run.expect("sections", sections, run.size);
}

void lockContended(Run& run) {
    Stack stack;
    fibers::mutex mutex;
    std::vector<fiber> rivals;
    rivals.reserve(kRivals);
    const std::size_t each = (run.size + kRivals - 1) / kRivals;
    std::size_t sections = 0;
    std::unique_lock held(mutex);
    for (std::size_t i = 0; i < kRivals; ++i) {
        rivals.push_back(post(stack, [&] {
            for (std::size_t round = 0; round < each; ++round) {
                {
                    const std::lock_guard locked(mutex);
                    ++sections;
                }
                boost::this_fiber::yield();
            }
        }));
    }
    boost::this_fiber::yield();
    run.start();
    held.unlock();
    for (fiber& rival : rivals) rival.join();
    run.stop();
    run.performed(each * kRivals);
    run.expect("sections", sections, each * kRivals);
}

const Scenario scenarios[] = {{"lock", lock}, {"lock_contended", lockContended}};

}  // namespace
}  // namespace bench
