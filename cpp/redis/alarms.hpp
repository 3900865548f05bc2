#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>

namespace steptree::detail::redis {

class Alarms;

/// What a connection's thread calls at a time. It's to be called at one time at most.
class Alarm {
  public:
    using Clock = std::chrono::steady_clock;

    Alarm() = default;
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    virtual ~Alarm() = default;
    /// On that thread, which it must not hold up. Gives when it's to be called again; max(): never.
    virtual Clock::time_point due(Clock::time_point now) noexcept = 0;

  private:
    friend Alarms;
    std::multimap<Clock::time_point, std::shared_ptr<Alarm>>::iterator place_{};
    bool isKept_ = false;  // at that place, by those who have the lock of the timers
};

/// Who is called when. Only `at` needs memory, and that only for what isn't kept yet.
class Alarms {
  public:
    using Clock = Alarm::Clock;

    /// At that time, and no more when it was to be called before. Any thread. Throws std::bad_alloc
    /// only.
    void at(Clock::time_point time, const std::shared_ptr<Alarm>& alarm);
    /// It isn't called any more, but where that has begun. Any thread.
    void drop(Alarm& alarm) noexcept;
    /// The earliest time; max(): there is none. Any thread.
    Clock::time_point next() noexcept;
    /// On the connection's thread.
    void serve(Clock::time_point now) noexcept;

  private:
    using Entries = std::multimap<Clock::time_point, std::shared_ptr<Alarm>>;

    Entries::node_type taken(Alarm& alarm) noexcept;
    void keep(Entries::node_type entry) noexcept;

    std::mutex mutex_;
    Entries entries_;
};

}  // namespace steptree::detail::redis
