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
    /// The memory is touched at once, so that it is not mistaken for that of the flows.
    explicit Waiting(std::size_t room) : now_(room), completed_(room) {
        now_.clear();
        completed_.clear();
    }

    /// For the body of a step.
    void wait(IAsyncSteps& asi) { now_.push_back(asi.waitExternal()); }

    std::size_t size() const noexcept { return now_.size(); }

    /// All that wait now, in the order in which they came.
    void completeAll() {
        std::swap(now_, completed_);
        for (const Completion& completion : completed_) completion.success();
        completed_.clear();
    }

  private:
    std::vector<Completion> now_;
    std::vector<Completion> completed_;
};

}  // namespace bench
