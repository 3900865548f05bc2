#pragma once

#include <boost/fiber/all.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../../batch.hpp"
#include "../../harness.hpp"

/// Boost.Fiber. FIBER_STACK names the kind of stacks; they are an eighth of the default size, which
/// is enough here and makes switches faster.
namespace bench {

namespace fibers = boost::fibers;
using fibers::fiber;

using Allocator = fibers::FIBER_STACK;
struct Stack : Allocator {
    Stack() : Allocator(16 * 1024) {}
};

/// Runs at once until it waits: the fastest if one follows the other.
template <class F>
fiber start(Stack& stack, F&& body) {
    return fiber(fibers::launch::dispatch, std::allocator_arg, stack, std::forward<F>(body));
}

/// Runs in its turn: the fastest if there are many.
template <class F>
fiber post(Stack& stack, F&& body) {
    return fiber(fibers::launch::post, std::allocator_arg, stack, std::forward<F>(body));
}

/// FIBER_UNLOCKED: nothing is locked where there is one thread, which the documentation's pattern,
/// a mutex and a condition variable, doesn't know.
#ifdef FIBER_UNLOCKED
struct Mutex {
    void lock() const noexcept {}
    void unlock() const noexcept {}
};
using Condition = fibers::condition_variable_any;
#else
using Mutex = fibers::mutex;
using Condition = fibers::condition_variable;
#endif

/// What a fiber waits for. On one thread nobody has to lock the mutex in order to notify.
class Event {
  public:
    void wait() {
        std::unique_lock<Mutex> lock(mutex_);
        happened_.wait(lock, [this] { return set_; });
        set_ = false;
    }
    /// Whether it has happened before the deadline.
    bool waitUntil(std::chrono::steady_clock::time_point deadline) {
        std::unique_lock<Mutex> lock(mutex_);
        return happened_.wait_until(lock, deadline, [this] { return std::exchange(set_, false); });
    }
    void notify() {
        set_ = true;
        happened_.notify_one();
    }

  private:
    static inline Mutex mutex_;
    Condition happened_;
    bool set_ = false;
};

/// Fibers that wait for an event each.
struct Waiting {
    explicit Waiting(std::size_t room) : events(room) { flows.reserve(room); }

    template <class F>
    void add(F&& body) {
        Event& event = events.emplace();
        flows.push_back(post(stack, [&event, body = std::forward<F>(body)] { body(event); }));
    }
    /// All that are ready go on, and wait.
    void run() { boost::this_fiber::yield(); }
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

inline void addWaiting(Waiting& waiting, std::size_t count, std::size_t& completed) {
    for (std::size_t i = 0; i < count; ++i) {
        waiting.add([&completed](Event& event) {
            event.wait();
            ++completed;
        });
    }
    waiting.run();
}

}  // namespace bench
