// C++20 coroutines by hand. The calls are not inlined: the compiler would drop the coroutines.
#include <algorithm>
#include <stdexcept>

#include "../../batch.hpp"
#include "../../harness.hpp"
#include "coroutine.hpp"

namespace bench {

const char* version() noexcept {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

namespace {

[[gnu::noinline]] Detached alone(std::size_t& bodies) {
    ++bodies;
    co_return;
}

void simple(Run& run) {
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) alone(bodies).start();
    run.stop();
    run.expect("bodies", bodies, run.size);
}

[[gnu::noinline]] Task<> body(std::size_t& bodies) {
    ++bodies;
    co_return;
}

[[gnu::noinline]] Detached waitOnce(Event& event, std::size_t& completed) {
    co_await event;
    ++completed;
}

using Events = Batch<Event>;

void notifyAll(Events& events) {
    for (const Event& event : events) event.notify();
}

void parallel(Run& run) {
    const std::size_t room = std::min(run.size, kWaiting);
    Events events(room);
    std::size_t completed = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        for (std::size_t i = 0; i < size; ++i) waitOnce(events.emplace(), completed).start();
        notifyAll(events);
        events.clear();
        left -= size;
    }
    run.stop();
    run.expect("completed", completed, run.size);
}

[[gnu::noinline]] Detached waitOften(Event& event, std::size_t& iterations, const bool& stopped) {
    while (true) {
        co_await event;
        if (stopped) break;
        ++iterations;
    }
}

void runSwitches(Run& run, std::size_t count) {
    Events events(count);
    std::size_t iterations = 0;
    bool stopped = false;
    for (std::size_t i = 0; i < count; ++i)
        waitOften(events.emplace(), iterations, stopped).start();
    const std::size_t rounds = (run.size + count - 1) / count;
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) notifyAll(events);
    run.stop();
    run.performed(rounds * count);
    run.expect("iterations", iterations, rounds * count);
    stopped = true;
    keep(stopped);
    notifyAll(events);
}

void parallelLoops(Run& run) {
    runSwitches(run, std::min(run.size, kWaiting));
}
template <std::size_t count>
void growsSwitch(Run& run) {
    runSwitches(run, count);
}

template <std::size_t count>
void growsSimple(Run& run) {
    Events events(count);
    std::size_t completed = 0;
    for (std::size_t i = 0; i < count; ++i) waitOnce(events.emplace(), completed).start();
    simple(run);
    notifyAll(events);
    run.expect("completed", completed, count);
}

void waitingBytes(Run& run) {
    Events events(run.size);
    std::size_t completed = 0;
    const std::size_t before = residentBytes();
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) waitOnce(events.emplace(), completed).start();
    run.stop();
    run.usesMemory(before, residentBytes());
    notifyAll(events);
    run.expect("completed", completed, run.size);
}

[[gnu::noinline]] Detached chain(std::size_t steps, std::size_t& bodies) {
    for (std::size_t i = 0; i < steps; ++i) co_await body(bodies);
}

void step(Run& run) {
    constexpr std::size_t steps = 100;
    const std::size_t flows = (run.size + steps - 1) / steps;
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < flows; ++i) chain(steps, bodies).start();
    run.stop();
    run.performed(flows * steps);
    run.expect("bodies", bodies, flows * steps);
}

/// The loop is one of the language: an iteration is nothing but its inner step.
void repeatStep(Run& run) {
    std::size_t bodies = 0;
    run.start();
    chain(run.size, bodies).start();
    run.stop();
    run.expect("bodies", bodies, run.size);
}

[[gnu::noinline]] Task<Code> fails(int levels) {
    int code = 1;
    if (levels > 1) code = co_await fails(levels - 1);
    co_return code;
}

[[gnu::noinline]] Task<Thrown> throws(int levels) {
    if (levels == 1) throw std::runtime_error("Refused");
    co_await throws(levels - 1);
}

[[gnu::noinline]] Detached handlesCode(std::size_t& recovered) {
    const int code = co_await fails(2);
    recovered += code;
}

[[gnu::noinline]] Detached handlesException(std::size_t& recovered) {
    try {
        co_await throws(2);
    } catch (const std::runtime_error&) {
        ++recovered;
    }
}

template <Detached (*flow)(std::size_t&)>
void runErrors(Run& run) {
    std::size_t recovered = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) flow(recovered).start();
    run.stop();
    run.expect("errors that were handled", recovered, run.size);
}

[[gnu::noinline]] Detached branches(std::size_t& bodies) {
    const Task<> ten[] = {body(bodies), body(bodies), body(bodies), body(bodies), body(bodies),
                          body(bodies), body(bodies), body(bodies), body(bodies), body(bodies)};
    for (const Task<>& branch : ten) branch.resume();
    co_return;
}

void parallel10(Run& run) {
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) branches(bodies).start();
    run.stop();
    run.expect("bodies", bodies, 10 * run.size);
}

[[gnu::noinline]] Task<> nest(std::size_t levels, std::size_t& bodies) {
    ++bodies;
    if (levels > 1) co_await nest(levels - 1, bodies);
}

template <std::size_t levels>
void growsNesting(Run& run) {
    const std::size_t flows = (run.size + levels - 1) / levels;
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < flows; ++i) nest(levels, bodies).resume();
    run.stop();
    run.performed(flows * levels);
    run.expect("bodies", bodies, flows * levels);
}

const Scenario scenarios[] = {
    {"simple", simple},
    {"defined_simple", simple},
    {"defined_step", step},
    {"defined_error_nothrow", runErrors<handlesCode>},
    {"defined_parallel10", parallel10},
    {"defined_waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"parallel", parallel},
    {"parallel_loops", parallelLoops},
    {"step", step},
    {"repeat_step", repeatStep},
    {"error_thrown", runErrors<handlesException>},
    {"error_nothrow", runErrors<handlesCode>},
    {"parallel10", parallel10},
    {"waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"grows_simple_1k", growsSimple<1000>, kGrows},
    {"grows_simple_30k", growsSimple<30'000>, kGrows},
    {"grows_simple_300k", growsSimple<300'000>, kGrows},
    {"grows_simple_1M", growsSimple<1'000'000>, kGrows},
    {"grows_switch_1k", growsSwitch<1000>, kGrows},
    {"grows_switch_30k", growsSwitch<30'000>, kGrows},
    {"grows_switch_300k", growsSwitch<300'000>, kGrows},
    {"grows_switch_1M", growsSwitch<1'000'000>, kGrows},
    {"grows_nesting_1", growsNesting<1>},
    {"grows_nesting_10", growsNesting<10>},
    {"grows_nesting_100", growsNesting<100>},
    {"grows_nesting_1k", growsNesting<1000>},
    {"grows_nesting_10k", growsNesting<10'000>},
};

}  // namespace
}  // namespace bench
