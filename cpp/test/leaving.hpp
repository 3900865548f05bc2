#pragma once

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#include <vector>

#include "rig.hpp"

namespace rig {

/// Nanoseconds of this thread that one takes who leaves from the middle of a queue of so many; the
/// best of a few. `queue` adds the step that waits.
template <class Guard, class Queue>
double leavingTime(std::size_t waiters, Guard make(), Queue queue) {
    const auto now = [] {
        std::timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
    };
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 3; ++round) {
        VirtualTool tool;
        Guard guard = make();
        std::vector<std::unique_ptr<AsyncSteps>> flows;
        for (std::size_t i = 0; i <= waiters; ++i) {
            flows.push_back(std::make_unique<AsyncSteps>(tool));
            queue(guard, *flows.back());
            flows.back()->execute();
        }
        tool.run();
        const std::size_t middle = flows.size() / 2;
        const double begin = now();
        for (std::size_t i = 0; i < middle; ++i) {
            flows[middle - i]->cancel();
            flows[middle + i]->cancel();
        }
        best = std::min(best, (now() - begin) / static_cast<double>(waiters));
        tool.run();
    }
    return best;
}

/// A queue that is searched would cost a hundred times as much; caches cost some.
template <class Guard, class Queue>
bool leavesAtOnce(Guard make(), Queue queue) {
    return leavingTime(100'000, make, queue) < 25 * leavingTime(1000, make, queue);
}

}  // namespace rig
