#include <stdexcept>

#include "fiber.hpp"

namespace bench {
namespace {

void simple(Run& run) {
    Stack stack;
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) start(stack, [&bodies] { ++bodies; }).join();
    run.stop();
    run.expect("bodies", bodies, run.size);
}

template <std::size_t count>
void growsSimple(Run& run) {
    Waiting waiting(count);
    std::size_t completed = 0;
    addWaiting(waiting, count, completed);
    simple(run);
    waiting.notifyAll();
    waiting.join();
    run.expect("completed", completed, count);
}

void waitingBytes(Run& run) {
    Waiting waiting(run.size);
    std::size_t completed = 0;
    const std::size_t before = residentBytes();
    run.start();
    addWaiting(waiting, run.size, completed);
    run.stop();
    run.usesMemory(before, residentBytes());
    waiting.notifyAll();
    waiting.join();
    run.expect("completed", completed, run.size);
}

[[gnu::noinline]] void fail(int levels) {
    if (levels > 1) {
        fail(levels - 1);
        asm volatile("" : : : "memory");  // no tail call
    } else {
        throw std::runtime_error("Refused");
    }
}

void errorThrown(Run& run) {
    Stack stack;
    std::size_t recovered = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        start(stack, [&recovered] {
            try {
                fail(2);
            } catch (const std::runtime_error&) {
                ++recovered;
            }
        }).join();
    }
    run.stop();
    run.expect("errors that were handled", recovered, run.size);
}

void parallel10(Run& run) {
    Stack stack;
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        start(stack, [&stack, &bodies] {
            fiber branches[10];
            for (fiber& branch : branches) branch = post(stack, [&bodies] { ++bodies; });
            for (fiber& branch : branches) branch.join();
        }).join();
    }
    run.stop();
    run.expect("bodies", bodies, 10 * run.size);
}

const Scenario scenarios[] = {
    {"simple", simple},
    {"defined_simple", simple},
    {"defined_parallel10", parallel10},
    {"defined_waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"error_thrown", errorThrown},
    {"parallel10", parallel10},
    {"grows_simple_1k", growsSimple<1000>, kGrows},
    {"grows_simple_30k", growsSimple<30'000>, kGrows},
};

}  // namespace
}  // namespace bench
