#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "jobs.hpp"
#include "steptree/gate.hpp"
#include "steptree/job.hpp"
#include "wire.hpp"

namespace steptree::detail::redis {

using Clock = std::chrono::steady_clock;

/// Why a handler is ended from outside.
enum class End : std::uint8_t { none, lost, drained };

/// A job that this process has, under a lease. The lease ends here before it ends in Redis, by a
/// margin: so a process that runs has left a job before another one gets it.
struct HeldJob {
    Job::Data data;
    std::string text;
    std::int64_t left = -1;  // milliseconds till its deadline, when it was taken; -1: there is none
    Clock::time_point expires;
    End end = End::none;
    std::stop_source stops{};  // its handler
    std::stop_source lost{};   // telling Redis of it

    /// What is lost can't be given back.
    void stop(End why);
};

/// Opens a gate when there may be something to take.
struct Waker final : Listener {
    void heard(const std::string&) noexcept override { gate.open(); }
    void again() noexcept override { gate.open(); }

    ThreadGate gate{};
};

struct SourceSettings {
    std::string id;                  // of the worker
    std::chrono::milliseconds hold;  // for how long jobs are held in Redis
    std::int64_t losses;
    std::shared_ptr<Waker> waker;
};

/// One queue of a worker: what it takes of it, renews, and gives back. On the tool's thread.
class JobSource {
  public:
    using Held = std::shared_ptr<HeldJob>;

    JobSource(JobQueue& queue, const SourceSettings& settings);
    JobSource(const JobSource&) = delete;
    JobSource& operator=(const JobSource&) = delete;
    ~JobSource() { endListening(); }
    /// Of the queue it knows nothing any more.
    void endListening() noexcept;

    JobQueue& queue() const noexcept { return queue_; }
    const std::set<Held>& held() const noexcept { return held_; }
    void drop(const Held& job) noexcept { held_.erase(job); }
    /// When it wants to be asked again though nothing was heard.
    Clock::time_point next() const noexcept { return next_; }

    /// Adds steps that take at most so many, and leave none; each job is given to `begin`.
    void take(IAsyncSteps& asi, std::int64_t room, std::function<void(const Held&)> begin);
    /// There is no room: others are told, if need be.
    void leave(IAsyncSteps& asi, bool always = false);
    /// Nothing of it is held any more.
    void end(IAsyncSteps& asi);
    void renew(IAsyncSteps& asi);
    /// Those whose time is over are left. Gives when that is so of the next one.
    Clock::time_point expire(Clock::time_point now);

  private:
    void taken(const Reply& answer, Clock::time_point asked, std::int64_t room,
               const std::function<void(const Held&)>& begin);
    Clock::time_point expiryOf(Clock::time_point asked) const noexcept;

    JobQueue& queue_;
    const SourceSettings settings_;
    const std::string channel_;
    bool listens_ = false;
    std::set<Held> held_;
    bool isIdle_ = false;  // it's told when there is something to take
    Clock::time_point next_ = Clock::time_point::max();
};

}  // namespace steptree::detail::redis
