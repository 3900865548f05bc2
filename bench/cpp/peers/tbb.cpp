// oneTBB: groups of tasks, in an arena of one thread. The last task of a group is run while it is
// waited for, which spares it the queue.
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#include "../harness.hpp"

namespace bench {

const char* version() noexcept {
    return "oneTBB " TBB_VERSION_STRING;
}

namespace {

template <class F>
void onOneThread(F&& call) {
    tbb::task_arena arena(1);
    arena.execute(std::forward<F>(call));
}

void simple(Run& run) {
    std::size_t bodies = 0;
    onOneThread([&] {
        tbb::task_group group;
        run.start();
        for (std::size_t i = 0; i < run.size; ++i) {
            group.run_and_wait([&bodies] { ++bodies; });
        }
        run.stop();
    });
    run.expect("bodies", bodies, run.size);
}

void parallel10(Run& run) {
    std::size_t bodies = 0;
    onOneThread([&] {
        tbb::task_group group;
        run.start();
        for (std::size_t i = 0; i < run.size; ++i) {
            for (int b = 1; b < 10; ++b) group.run([&bodies] { ++bodies; });
            group.run_and_wait([&bodies] { ++bodies; });
        }
        run.stop();
    });
    run.expect("bodies", bodies, 10 * run.size);
}

const Scenario scenarios[] = {{"simple", simple},
                              {"parallel10", parallel10},
                              {"defined_simple", simple},
                              {"defined_parallel10", parallel10}};

}  // namespace
}  // namespace bench
