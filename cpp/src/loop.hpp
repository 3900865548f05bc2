#pragma once

#include "step.hpp"

/// What kinds of loops have in common.
namespace steptree::detail {

/// Behind a loop's step. All iterations use one step in turn.
struct LoopPart {
    LoopPart(Step& loop, const StepSpec&) noexcept
        : iteration(StepKind::iteration, nullptr, *loop.line, &loop) {
        iteration.turn = -1;
    }

    /// Its line is known now: it may be a branch.
    void begin(Line& line) noexcept { iteration.line = &line; }
    /// It is the line's top.
    void open(Line& line) noexcept {
        iteration.flags = 0;
        iteration.count = 0;
        line.top = &iteration;
    }

    Step iteration;
};

/// Calls the body for the next iteration.
Answer runIteration(Line& line, Step& loop) noexcept;

/// An iteration whose only step is a value, which stands in the place of the body.
Answer openRound(Line& line, Step& loop) noexcept;

}  // namespace steptree::detail
