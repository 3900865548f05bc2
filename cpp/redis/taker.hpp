#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "steptree/detail/coreref.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/error.hpp"
#include "steptree/outcome.hpp"
#include "steptree/scope.hpp"
#include "work.hpp"

namespace steptree::detail::redis {

/// Of a Worker and a Server.
struct TakerLimits {
    std::int64_t concurrency;
    std::chrono::milliseconds lease;  // longer than that nothing is waited for when it ends
    Function<void(const StepError&)> report;
};

/// What a Worker and a Server do: flows on a tool. One takes work as long as there is room, one
/// renews leases, one ends what has lost its own; each job or call is a flow, and so is telling
/// Redis of it.
///
/// All of it is the tool's thread's. How a flow has ended may be told when the owner has gone. So
/// that refers to this, which then has neither flows nor anything to do with what the program owns.
class Taker : public std::enable_shared_from_this<Taker> {
  public:
    Taker(Tool& tool, TakerLimits limits, std::shared_ptr<Waker> waker);
    Taker(const Taker&) = delete;
    Taker& operator=(const Taker&) = delete;
    ~Taker() = default;

    /// Before it's started.
    void add(std::unique_ptr<WorkSource> source) { sources_.push_back(std::move(source)); }
    void start();
    /// Nothing of it runs any more, and nothing is told. Any thread; on one that drives the tool
    /// elsewhere than in its executor that is so a moment later.
    void end() noexcept;

    std::size_t size() const noexcept { return static_cast<std::size_t>(size_.load()); }
    Future<std::size_t> drain(std::int64_t ms);

  private:
    using Held = WorkSource::Held;

    static void waits(IAsyncSteps& asi, ThreadGate& gate, std::int64_t ms);
    void goesOn(const steptree::Step<>& flow);
    void leave() noexcept;
    void looks(IAsyncSteps& asi);
    void takes(IAsyncSteps& asi);
    void pauses(IAsyncSteps& asi);
    void renews(IAsyncSteps& asi, WorkSource& source);
    void expires(IAsyncSteps& asi);
    void ends(IAsyncSteps& asi, std::int64_t ms);
    void begin(WorkSource& source, const Held& work);
    void run(WorkSource& source, const Held& work);
    void ended(WorkSource& source, const Held& work, const Outcome& outcome);
    void settle(WorkSource& source, const Held& work, Report report);
    void forget(WorkSource& source, const Held& work) noexcept;
    void checkEmpty() noexcept;
    void report(IAsyncSteps& failed);
    void tell(const StepError& error) noexcept;
    void tellMistake(const WorkSource& source, const Held& work,
                     const std::exception_ptr& mistake) noexcept;

    const CoreRef core_;
    TakerLimits limits_;
    const std::shared_ptr<Waker> waker_;
    std::vector<std::unique_ptr<WorkSource>> sources_;
    ThreadGate held_;                    // open: something is
    ThreadGate empty_;                   // open: nothing goes on, and nothing is being taken
    ThreadGate ends_;                    // open: it drains
    std::atomic<std::int64_t> size_{0};  // handlers that run
    std::int64_t going_ = 0;             // those whose end isn't told yet
    bool isGone_ = false;                // nothing is told any more
    bool isTaking_ = false;
    bool drains_ = false;
    int failures_ = 0;
    std::size_t cut_ = 0;
    std::optional<Future<std::size_t>> drained_;
    std::optional<Scope> telling_;  // Redis of what has come of it
    std::optional<Scope> work_;     // handlers
    std::optional<Scope> own_;      // its own flows
    std::optional<Scope> ending_;   // the drain
};

}  // namespace steptree::detail::redis
