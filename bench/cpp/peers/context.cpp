// Boost.Context: stacks that are switched, and no more than that. Pooled stacks of the default
// size.
#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <boost/version.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "../batch.hpp"
#include "../harness.hpp"

namespace bench {

const char* version() noexcept {
    static const std::string text = "Boost.Context " + std::to_string(BOOST_VERSION / 100'000) +
                                    "." + std::to_string(BOOST_VERSION / 100 % 1000);
    return text.c_str();
}

namespace {

namespace context = boost::context;
using context::fiber;
using Stack = context::pooled_fixedsize_stack;

template <class F>
fiber make(Stack& stack, F&& body) {
    return fiber(std::allocator_arg, stack, std::forward<F>(body));
}

/// Runs it until it waits or ends.
void resume(fiber& flow) {
    flow = std::move(flow).resume();
}

using Flows = Batch<fiber>;

void resumeAll(Flows& flows) {
    for (fiber& flow : flows) resume(flow);
}

void simple(Run& run) {
    Stack stack;
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        fiber flow = make(stack, [&bodies](fiber&& caller) {
            ++bodies;
            return std::move(caller);
        });
        resume(flow);
    }
    run.stop();
    run.expect("bodies", bodies, run.size);
}

/// Made, and run to where they wait.
void addWaiting(Flows& flows, Stack& stack, std::size_t count, std::size_t& completed) {
    for (std::size_t i = 0; i < count; ++i) {
        resume(flows.emplace(make(stack, [&completed](fiber&& caller) {
            resume(caller);
            ++completed;
            return std::move(caller);
        })));
    }
}

void parallel(Run& run) {
    Stack stack;
    const std::size_t room = std::min(run.size, kWaiting);
    Flows flows(room);
    std::size_t completed = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        addWaiting(flows, stack, size, completed);
        resumeAll(flows);
        flows.clear();
        left -= size;
    }
    run.stop();
    run.expect("completed", completed, run.size);
}

void runSwitches(Run& run, std::size_t count) {
    Stack stack;
    Flows flows(count);
    std::size_t iterations = 0;
    bool stopped = false;
    for (std::size_t i = 0; i < count; ++i) {
        resume(flows.emplace(make(stack, [&iterations, &stopped](fiber&& caller) {
            while (true) {
                resume(caller);
                if (stopped) break;
                ++iterations;
            }
            return std::move(caller);
        })));
    }
    const std::size_t rounds = (run.size + count - 1) / count;
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) resumeAll(flows);
    run.stop();
    run.performed(rounds * count);
    run.expect("iterations", iterations, rounds * count);
    stopped = true;
    resumeAll(flows);
}

void parallelLoops(Run& run) {
    runSwitches(run, std::min(run.size, kWaiting));
}
template <std::size_t count>
void growsSwitch(Run& run) {
    runSwitches(run, count);
}

void waitingBytes(Run& run) {
    Stack stack;
    Flows flows(run.size);
    std::size_t completed = 0;
    const std::size_t before = residentBytes();
    run.start();
    addWaiting(flows, stack, run.size, completed);
    run.stop();
    run.usesMemory(before, residentBytes());
    resumeAll(flows);
    run.expect("completed", completed, run.size);
}

template <std::size_t count>
void growsSimple(Run& run) {
    Stack stack;
    Flows flows(count);
    std::size_t completed = 0;
    addWaiting(flows, stack, count, completed);
    simple(run);
    resumeAll(flows);
    run.expect("completed", completed, count);
}

[[gnu::noinline]] void fail(int levels) {
    if (levels == 1) throw std::runtime_error("Refused");
    fail(levels - 1);
    asm volatile("" : : : "memory");  // no tail call
}

void errorThrown(Run& run) {
    Stack stack;
    std::size_t recovered = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        fiber flow = make(stack, [&recovered](fiber&& caller) {
            try {
                fail(2);
            } catch (const std::runtime_error&) {
                ++recovered;
            }
            return std::move(caller);
        });
        resume(flow);
    }
    run.stop();
    run.expect("errors that were handled", recovered, run.size);
}

const Scenario scenarios[] = {
    {"simple", simple},
    {"parallel", parallel},
    {"parallel_loops", parallelLoops},
    {"error_thrown", errorThrown},
    {"waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"grows_simple_1k", growsSimple<1000>, kGrows},
    {"grows_simple_30k", growsSimple<30'000>, kGrows},
    {"grows_switch_1k", growsSwitch<1000>, kGrows},
    {"grows_switch_30k", growsSwitch<30'000>, kGrows},
};

}  // namespace
}  // namespace bench
