#pragma once

#include <cstdint>

#include "tree.hpp"

namespace steptree::detail {

/// What a line may run in its turn: so many bodies, unless the tool's time is used up before. The
/// tool is told of them when it has to look at its clock, and at the turn's end. If that is after
/// each, the flow has the bit kLooks.
class Budget {
  public:
    Budget(Line& line, std::uint32_t burst) noexcept : flow_(*line.flow), burst_(burst) {
        flow_.tool->engine.budget = this;
        allot();
    }
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;
    ~Budget() { flow_.tool->ran(allotted_ - left_); }

    /// Before each body: whether it may not run.
    bool spent() noexcept { return left_ == 0 && !refill(); }
    void spend(std::uint32_t bodies = 1) noexcept { left_ -= bodies; }
    /// How many may run before it has to be asked again.
    std::uint32_t left() const noexcept { return left_; }

  private:
    void allot() noexcept {
        const ToolCore& core = *flow_.tool;
        allotted_ = left_ = burst_;
        if (core.mayRun() > burst_) [[likely]]
            return;
        allotted_ = left_ = core.mayRun();
        if (core.looks()) flow_.bits |= kLooks;
    }

    [[gnu::noinline]] bool refill() noexcept {
        burst_ = flow_.tool->ran(allotted_) ? 0 : burst_ - allotted_;
        allot();
        return left_ != 0;
    }

    Flow& flow_;
    std::uint32_t burst_;     // with what is allotted
    std::uint32_t allotted_;  // until somebody has to look
    std::uint32_t left_;
};

/// In the line's turn: for kinds that run their bodies themselves.
inline Budget& budgetOf(const Line& line) noexcept {
    return *line.share().budget;
}

}  // namespace steptree::detail
