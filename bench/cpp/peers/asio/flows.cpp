#include <algorithm>
#include <stdexcept>

#include "asio.hpp"

namespace bench {
namespace {

Awaitable body(std::size_t& bodies) {
    ++bodies;
    co_return;
}

Awaitable waitOnce(Event& event, std::size_t& completed) {
    co_await event.wait();
    ++completed;
}

void simple(Run& run) {
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, run.size, [&bodies] { return body(bodies); });
    run.expect("bodies", bodies, run.size);
}

void parallel(Run& run) {
    Loop loop;
    const std::size_t room = std::min(run.size, kWaiting);
    Events events(room);
    std::size_t completed = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        loop.inside([&] {
            for (std::size_t i = 0; i < size; ++i) {
                loop.spawn(waitOnce(events.emplace(), completed));
            }
        });
        loop.inside([&events] {
            for (Event& event : events) event.post();
        });
        events.clear();
        left -= size;
    }
    run.stop();
    run.expect("completed", completed, run.size);
}

/// Coroutines that wait, all completed at the end.
struct Waiting {
    Waiting(Loop& where, std::size_t count) : loop(where), events(count) {
        loop.inside([&] {
            for (std::size_t i = 0; i < count; ++i) {
                loop.spawn(waitOnce(events.emplace(), completed));
            }
        });
    }
    void finish(const Run& run) {
        loop.inside([this] {
            for (Event& event : events) event.post();
        });
        run.expect("completed", completed, events.size());
    }

    Loop& loop;
    Events events;
    std::size_t completed = 0;
};

template <std::size_t count>
void growsSimple(Run& run) {
    Loop loop;
    Waiting waiting(loop, count);
    std::size_t bodies = 0;
    runFlows(run, loop, run.size, [&bodies] { return body(bodies); });
    run.expect("bodies", bodies, run.size);
    waiting.finish(run);
}

void waitingBytes(Run& run) {
    Loop loop;
    const std::size_t before = residentBytes();
    run.start();
    Waiting waiting(loop, run.size);
    run.stop();
    run.usesMemory(before, residentBytes());
    waiting.finish(run);
}

Awaitable chain(std::size_t steps, std::size_t& bodies) {
    for (std::size_t i = 0; i < steps; ++i) co_await body(bodies);
}

void step(Run& run) {
    constexpr std::size_t steps = 100;
    const std::size_t flows = (run.size + steps - 1) / steps;
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, flows, [&bodies] { return chain(steps, bodies); });
    run.performed(flows * steps);
    run.expect("bodies", bodies, flows * steps);
}

void repeatStep(Run& run) {
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, 1, [&run, &bodies] { return chain(run.size, bodies); });
    run.expect("bodies", bodies, run.size);
}

Awaitable throws(int levels) {
    if (levels == 1) throw std::runtime_error("Refused");
    co_await throws(levels - 1);
}

Awaitable handles(std::size_t& recovered) {
    try {
        co_await throws(2);
    } catch (const std::runtime_error&) {
        ++recovered;
    }
}

void errorThrown(Run& run) {
    Loop loop;
    std::size_t recovered = 0;
    runFlows(run, loop, run.size, [&recovered] { return handles(recovered); });
    run.expect("errors that were handled", recovered, run.size);
}

/// Cheaper than Asio's own parallel_group: a count and an event.
Awaitable branches(Loop& loop, std::size_t& bodies) {
    Event ended;
    int left = 10;
    for (int i = 0; i < 10; ++i) {
        loop.spawn(body(bodies), [&ended, &left](std::exception_ptr) {
            if (--left == 0) ended.dispatch();
        });
    }
    co_await ended.wait();
}

void parallel10(Run& run) {
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, run.size, [&loop, &bodies] { return branches(loop, bodies); });
    run.expect("bodies", bodies, 10 * run.size);
}

Awaitable nest(std::size_t levels, std::size_t& bodies) {
    ++bodies;
    if (levels > 1) co_await nest(levels - 1, bodies);
}

template <std::size_t levels>
void growsNesting(Run& run) {
    const std::size_t flows = (run.size + levels - 1) / levels;
    Loop loop;
    std::size_t bodies = 0;
    runFlows(run, loop, flows, [&bodies] { return nest(levels, bodies); });
    run.performed(flows * levels);
    run.expect("bodies", bodies, flows * levels);
}

const Scenario scenarios[] = {
    {"simple", simple},
    {"defined_simple", simple},
    {"defined_step", step},
    {"defined_parallel10", parallel10},
    {"defined_waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"parallel", parallel},
    {"step", step},
    {"repeat_step", repeatStep},
    {"error_thrown", errorThrown},
    {"parallel10", parallel10},
    {"waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"grows_simple_1k", growsSimple<1000>, kGrows},
    {"grows_simple_30k", growsSimple<30'000>, kGrows},
    {"grows_simple_300k", growsSimple<300'000>, kGrows},
    {"grows_simple_1M", growsSimple<1'000'000>, kGrows},
    {"grows_nesting_1", growsNesting<1>},
    {"grows_nesting_10", growsNesting<10>},
    {"grows_nesting_100", growsNesting<100>},
    {"grows_nesting_1k", growsNesting<1000>},
    {"grows_nesting_10k", growsNesting<10'000>},
};

}  // namespace
}  // namespace bench
