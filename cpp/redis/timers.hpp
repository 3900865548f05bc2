#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace steptree::detail::redis {

class Timers;

/// Calls something once, on the connection's thread, as all of it is used there. It takes no
/// memory but when it's made, on any thread.
class Timer {
  public:
    using Time = std::chrono::steady_clock::time_point;

    Timer(void (*fire)(void* of) noexcept, void* of);
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { stop(); }

    bool isArmed() const noexcept { return timers_ != nullptr; }
    /// Anew, if it was armed. `keep` stays till it has fired or was stopped.
    void start(Timers& timers, Time due, std::shared_ptr<void> keep = {}) noexcept;
    void stop() noexcept;

  private:
    friend Timers;
    struct Entry {
        Timer* timer;
        std::shared_ptr<void> keep;
    };
    using Queue = std::multimap<Time, Entry>;

    void (*const fire_)(void* of) noexcept;
    void* const of_;
    Queue::node_type node_;  // while it isn't armed
    Queue::iterator at_;
    Timers* timers_ = nullptr;  // while it is
};

/// Those of a connection.
class Timers {
  public:
    using Time = Timer::Time;

    Timers() noexcept = default;
    Timers(const Timers&) = delete;
    Timers& operator=(const Timers&) = delete;
    ~Timers();

    Time now() const noexcept;
    /// Time::max(): none is armed.
    Time next() const noexcept;
    /// Those that are due.
    void fire() noexcept;

    /// For tests: time stands still from now on, at so many milliseconds, and fire() is called by
    /// them. Any thread.
    void set(std::int64_t ms) noexcept { still_ = ms; }
    bool standsStill() const noexcept { return still_ >= 0; }
    /// What scripts get as their time: nothing, as they have the server's.
    std::string text() const { return standsStill() ? std::to_string(still_) : ""; }

  private:
    friend Timer;

    Timer::Queue queue_;
    std::atomic<std::int64_t> still_{-1};
};

}  // namespace steptree::detail::redis
