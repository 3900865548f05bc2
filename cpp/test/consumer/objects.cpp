// One of each thing that a program makes and destroys: what that takes is in a shared library, too.
#include <cstdio>
#include <steptree/all.hpp>

using namespace steptree;

namespace {

void makeGuards() {
    const Throttle throttle({.max = 1});
    const Limiter limiter({.concurrent = 1});
    const Gate gate;
    const Barrier barrier({.parties = 2});
    const Breaker breaker;
    const RetryBudget budget({.capacity = 10, .ratio = 0.1});
    const Mutex mutex;
    const RwLock lock;
    const Keyed<int, Mutex> keyed([](int) { return MutexOptions(); });
}

}  // namespace

int main() {
    VirtualTool tool;
    const FlightRecorder recorder(tool);
    const Metrics metrics(tool);
    const StallWatch stalls(tool, {.wait = 5});
    const Observation watching = tool.observe([](const FlowEvent&) {});
    const Scope scope(tool);
    const Channel<int> channel({.capacity = 1});
    const ThreadMutex threadMutex;
    const ThreadRwLock threadLock;
    const ThreadChannel<int> threadChannel({.capacity = 1});
    makeGuards();
    tool.start(delay(5));
    tool.run();
    std::puts(snapshotText(tool.snapshot()).c_str());
    return recorder.events().empty() ? 1 : 0;
}
