#pragma once

#include <boost/fiber/all.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../../batch.hpp"
#include "../../harness.hpp"

/// Boost.Fiber. FIBER_STACK names the kind of stacks; they have the default size.
namespace bench {

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

}  // namespace bench
