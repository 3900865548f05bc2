// Boost.Fiber. FIBER_STACK names the kind of stacks; they have the default size.
#include <algorithm>
#include <boost/fiber/all.hpp>
#include <boost/version.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../batch.hpp"
#include "../harness.hpp"

namespace bench {

const char* version() noexcept {
    static const std::string text = "Boost.Fiber " + std::to_string(BOOST_VERSION / 100'000) + "." +
                                    std::to_string(BOOST_VERSION / 100 % 1000);
    return text.c_str();
}

namespace {

namespace fibers = boost::fibers;
using fibers::fiber;
using Stack = fibers::FIBER_STACK;

/// Runs at once until it waits, which spares a turn through the scheduler.
template <class F>
fiber start(Stack& stack, F&& body) {
    return fiber(fibers::launch::dispatch, std::allocator_arg, stack, std::forward<F>(body));
}

/// What a fiber waits for. On one thread nobody has to lock the mutex in order to notify.
class Event {
  public:
    void wait() {
        std::unique_lock<fibers::mutex> lock(mutex_);
        happened_.wait(lock, [this] { return set_; });
        set_ = false;
    }
    /// Whether it has happened before the deadline.
    bool waitUntil(std::chrono::steady_clock::time_point deadline) {
        std::unique_lock<fibers::mutex> lock(mutex_);
        return happened_.wait_until(lock, deadline, [this] { return std::exchange(set_, false); });
    }
    void notify() {
        set_ = true;
        happened_.notify_one();
    }

  private:
    static inline fibers::mutex mutex_;
    fibers::condition_variable happened_;
    bool set_ = false;
};

/// Fibers that wait for an event each.
struct Waiting {
    explicit Waiting(std::size_t room) : events(room) { flows.reserve(room); }

    template <class F>
    void add(F&& body) {
        Event& event = events.emplace();
        flows.push_back(start(stack, [&event, body = std::forward<F>(body)] { body(event); }));
    }
    void notifyAll() {
        for (Event& event : events) event.notify();
    }
    void join() {
        for (fiber& flow : flows) flow.join();
        flows.clear();
        events.clear();
    }

    Stack stack;
    Batch<Event> events;
    std::vector<fiber> flows;
};

void simple(Run& run) {
    Stack stack;
    std::size_t bodies = 0;
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) start(stack, [&bodies] { ++bodies; }).join();
    run.stop();
    run.expect("bodies", bodies, run.size);
}

void parallel(Run& run) {
    const std::size_t room = std::min(run.size, kWaiting);
    Waiting waiting(room);
    std::size_t completed = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        for (std::size_t i = 0; i < size; ++i) {
            waiting.add([&completed](Event& event) {
                event.wait();
                ++completed;
            });
        }
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
    const std::size_t rounds = (run.size + count - 1) / count;
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) {
        waiting.notifyAll();
        boost::this_fiber::yield();  // to the tail of the queue, behind all of them
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

template <std::size_t count>
void growsSimple(Run& run) {
    Waiting waiting(count);
    for (std::size_t i = 0; i < count; ++i) waiting.add([](Event& event) { event.wait(); });
    simple(run);
    waiting.notifyAll();
    waiting.join();
}

void waitingBytes(Run& run) {
    Waiting waiting(run.size);
    const std::size_t before = residentBytes();
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) waiting.add([](Event& event) { event.wait(); });
    run.stop();
    run.usesMemory(before, residentBytes());
    waiting.notifyAll();
    waiting.join();
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
            for (fiber& branch : branches) branch = start(stack, [&bodies] { ++bodies; });
            for (fiber& branch : branches) branch.join();
        }).join();
    }
    run.stop();
    run.expect("bodies", bodies, 10 * run.size);
}

void timerCancel(Run& run) {
    Stack stack;
    Event event;
    std::size_t timeouts = 0;
    fiber waits = start(stack, [&] {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
        for (std::size_t i = 0; i < run.size; ++i) timeouts += event.waitUntil(deadline) ? 0 : 1;
    });
    run.start();
    for (std::size_t i = 0; i < run.size; ++i) {
        event.notify();
        boost::this_fiber::yield();
    }
    run.stop();
    waits.join();
    run.expect("timeouts", timeouts, 0U);
}

/// A fiber has no timer but its sleep; no more than fit into memory sleep at a time.
void timerFired(Run& run) {
    const std::size_t room = std::min(run.size, kWaiting);
    Waiting waiting(room);
    std::size_t fired = 0;
    run.start();
    for (std::size_t left = run.size; left > 0;) {
        const std::size_t size = std::min(left, room);
        for (std::size_t i = 0; i < size; ++i) {
            waiting.add([&fired, i](Event&) {
                boost::this_fiber::sleep_for(std::chrono::milliseconds(timerDelay(i)));
                ++fired;
            });
        }
        waiting.join();
        left -= size;
    }
    run.stop();
    run.expect("fired", fired, run.size);
}

const Scenario scenarios[] = {
    {"simple", simple},
    {"parallel", parallel},
    {"parallel_loops", parallelLoops},
    {"waiting_bytes", waitingBytes, {.small = 10, .cold = true}},
    {"error_thrown", errorThrown},
    {"parallel10", parallel10},
    {"timer_cancel", timerCancel},
    {"timer_fired", timerFired},
    {"grows_simple_1k", growsSimple<1000>, kGrows},
    {"grows_simple_30k", growsSimple<30'000>, kGrows},
    {"grows_switch_1k", growsSwitch<1000>, kGrows},
    {"grows_switch_30k", growsSwitch<30'000>, kGrows},
};

}  // namespace
}  // namespace bench
