#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "flows.hpp"
#include "harness.hpp"
#include "steptree/asynctool.hpp"

/// What steptree's own programs have in common. `flows.hpp` says which kind of flow is measured:
/// one directory of flows/ for each kind, an executable for each directory.
namespace bench {

using steptree::Completion;
using steptree::IAsyncSteps;

/// The time where instructions are counted: under callgrind all is so slow that a tool would look
/// at the machine's clock much more often than it does else.
struct SlowClock final : steptree::Clock {
    std::int64_t nanoseconds() noexcept override { return now += 100; }
    std::int64_t now = 0;
};

/// The event loop, run by the program.
struct Driver {
    SlowClock clock;
    steptree::AsyncTool tool{
        steptree::AsyncTool::Driven{.clock = countsInstructions() ? &clock : nullptr}};

    void iterate() { tool.iterate(); }

    template <class F>
    void finish(const F& flow) {
        while (flow.running()) tool.iterate();
    }
};

/// Timers of others, so that a loop does not look as good as one without any.
inline void armOthers(Driver& driver) {
    for (std::size_t i = 0; i < kArmed; ++i) driver.tool.deferred(farDelay(i), [] {});
}

/// The steps that wait, to be completed by the program: outside of any flow, on the same thread.
class Waiting {
  public:
    explicit Waiting(std::size_t room) {
        now_.reserve(room);
        before_.reserve(room);
    }

    /// For the body of a step.
    void wait(IAsyncSteps& asi) { now_.push_back(asi.waitExternal()); }

    std::size_t size() const noexcept { return now_.size(); }

    /// All that wait now, in the order in which they came; gives how many of them it woke.
    std::size_t completeAll() {
        std::swap(now_, before_);
        std::size_t woken = 0;
        for (const Completion& completion : before_) woken += completion.success() ? 1 : 0;
        before_.clear();
        return woken;
    }

  private:
    std::vector<Completion> now_;
    std::vector<Completion> before_;
};

/// Whether a deadline is kept: work that ends before it doesn't show that it was set.
inline void expectDeadlines(const Run& run, Driver& driver) {
    std::size_t expired = 0;
    Flow<Needs{.timers = 1}> flow{driver.tool};
    flow.add(
        [](IAsyncSteps& asi) {
            asi.setTimeout(1);
            asi.waitExternal();
        },
        [&expired](IAsyncSteps& asi, steptree::ErrorCode code) {
            expired += code == steptree::errors::Timeout ? 1 : 0;
            asi.success();
        });
    flow.execute();
    driver.finish(flow);
    run.expect("deadlines that were kept", expired, 1U);
}

}  // namespace bench
