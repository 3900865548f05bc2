#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "ask.hpp"
#include "steptree/gate.hpp"
#include "steptree/outcome.hpp"
#include "steptree/steps.hpp"

namespace steptree::detail::redis {

using Clock = std::chrono::steady_clock;

/// Why a handler is ended from outside.
enum class End : std::uint8_t { none, lost, drained };

/// A job or a call that this process has, under a lease. The lease ends here before it ends in
/// Redis, by a margin: so a process that runs has left the work before another one gets it.
struct Work {
    virtual ~Work() = default;
    /// What is lost can't be given back.
    void stop(End why);

    std::int64_t left = -1;  // milliseconds till its deadline, when it was taken; -1: there is none
    Clock::time_point expires;
    End end = End::none;
    std::stop_source stops{};  // its handler
    std::stop_source lost{};   // telling Redis of it
};

/// What Redis is told of work.
struct Report {
    const char* script;
    Words words;
    bool counts = false;           // a drain says how many of these there were
    std::exception_ptr mistake{};  // of those who serve it
};

/// Opens a gate when there may be something to take.
struct Waker final : Listener {
    void heard(const std::string&) noexcept override { gate.open(); }
    void again() noexcept override { gate.open(); }

    ThreadGate gate{};
};

/// Where work comes from: what a process takes there, renews, and gives back. On the tool's thread.
class WorkSource {
  public:
    using Held = std::shared_ptr<Work>;
    using Handler = steptree::Step<Values<>, AnyValues>;

    WorkSource() = default;
    WorkSource(const WorkSource&) = delete;
    WorkSource& operator=(const WorkSource&) = delete;
    virtual ~WorkSource() = default;
    /// Of what the program owns it knows nothing any more.
    virtual void endListening() noexcept = 0;

    const std::set<Held>& held() const noexcept { return held_; }
    virtual void drop(const Held& work) noexcept { held_.erase(work); }
    /// What has come of it can't be told.
    virtual void lose(const Held& work) noexcept { drop(work); }
    /// When it wants to be asked again though nothing was heard.
    Clock::time_point next() const noexcept { return next_; }
    /// Those whose time is over are left. Gives when that is so of the next one.
    virtual Clock::time_point expire(Clock::time_point now);

    /// Adds steps that take at most so many, and leave none; each is given to `begin`.
    virtual void take(IAsyncSteps& asi, std::int64_t room,
                      std::function<void(const Held&)> begin) = 0;
    /// There is no room: others are told, if need be.
    virtual void leave(IAsyncSteps& asi, bool always = false) = 0;
    virtual void renew(IAsyncSteps& asi) = 0;
    /// In how many milliseconds it wants to be renewed, at the latest.
    virtual std::chrono::milliseconds renewIn() const noexcept = 0;
    /// Adds steps that never end, and heed what is heard.
    virtual void watch(IAsyncSteps& asi) = 0;
    /// Nothing of it is held any more.
    virtual void end(IAsyncSteps& asi) = 0;

    /// Null: it's for the handler. Else what is wrong with it.
    virtual std::unique_ptr<Report> refusal(const Held& work) = 0;
    virtual Handler handlerOf(const Held& work) = 0;
    /// What has come of it.
    virtual Report ended(const Held& work, const Outcome& outcome) = 0;
    /// In whose flow it is, for those who serve it.
    virtual std::string nameOf(const Held& work) const = 0;
    /// It isn't begun here.
    virtual Report back(const Held& work) = 0;
    /// Adds a step that says it, and leaves a Reply.
    virtual void tell(IAsyncSteps& asi, const Report& report) = 0;

  protected:
    /// Begins each that `make` makes of what was given; who fails is taken over when its lease
    /// ends.
    void beginAll(const std::vector<Reply>& given, const std::function<Held(const Reply&)>& make,
                  const std::function<void(const Held&)>& begin);

    std::set<Held> held_;
    Clock::time_point next_ = Clock::time_point::max();
};

}  // namespace steptree::detail::redis
