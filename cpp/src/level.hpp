#pragma once

#include "budget.hpp"
#include "enter.hpp"
#include "fast.hpp"
#include "frame.hpp"
#include "run.hpp"
#include "settle.hpp"

namespace steptree::detail {

enum class Level : std::uint8_t {
    through,  // no plain step is left in front; its owner is the line's top
    look,     // another step is the line's top now
    over      // the turn is over
};

// ---- run.cpp
/// Runs the line on until its turn is over.
void drive(Line& line, Budget& budget) noexcept;

/// Begins the wait of a step whose body has called waitExternal() and nothing else.
inline bool onlyWaits(Line& line, Step& step) noexcept {
    if (!kBareWait || line.marks != kExternal || step.next != nullptr) return false;
    step.phase = Phase::waiting;
    return true;
}

/// Whether a body has left no more than an ok, perhaps with a timer or cancel handler that nobody
/// needs any more.
inline bool isOk(const Line& line, const Step& step) noexcept {
    return line.marks <= kSuccess || (line.marks == (kSuccess | kWait) && step.next == nullptr);
}

/// Opens the first step of `level`, which has no body that is given values.
inline Step& openStep(Line& line, Step*& level) noexcept {
    Step& step = *level;
    openNext(line, level, step);
    line.clearValues();
    step.phase = Phase::inner;
    return step;
}

/// The body of a plain step, which is in its level no more, is to be called.
inline void openPlain(Line& line, Step& step) noexcept {
    line.top = &step;
    line.marks = 0;
}

/// Whether the turn is over with this body, whatever it has left.
[[gnu::always_inline]] inline bool isOver(const Flow& flow, Line& line, Step& step) noexcept {
    if (kQuietBody && (flow.bits & (kCancelLatch | kLooks)) == 0) [[likely]]
        return false;
    return cancelled(flow, line) || postpones(line, step);
}

/// Goes on as a plain step's body wants it. `through`: that has ended with an ok.
[[gnu::always_inline]] inline Level leaveBody(Line& line, Step& step) noexcept {
    const Flow& flow = *line.flow;
    if (isOver(flow, line, step)) [[unlikely]]
        return Level::over;
    if (!kBareOk || !isOk(line, step)) {
        if (onlyWaits(line, step)) return Level::over;
        return settle(line, step) ? Level::look : Level::over;
    }
    if (step.next == nullptr) {
        const bool calls = (step.flags & kHolds) != 0;
        pop(line, step);
        return calls && cancelled(flow, line) ? Level::over : Level::through;
    }
    if (line.marks != 0) return settle(line, step) ? Level::look : Level::over;
    step.phase = Phase::inner;
    return Level::look;
}

/// Whether the line goes on in another turn: this one's budget is used up.
inline bool isPutBack(Line& line, Budget& budget) noexcept {
    if (!budget.spent()) [[likely]]
        return false;
    line.core().enqueue(line);
    return true;
}

/// Calls the body of a step that is the line's top, for good: what it has left is for leaveBody().
[[gnu::always_inline]] inline void enterBody(Line& line, Step& step, void* closure, Results* values,
                                             std::uint16_t marks = 0) noexcept {
    step.phase = Phase::body;
    line.marks = marks;
    CallArgs args;
    args.values = values;
    enterForGood(step, *step.ops, closure, args);
}

/// The budget is not spent. False: the turn is over.
inline bool runBody(Line& line, Step& step, Budget& budget, Results* values,
                    std::uint16_t marks = 0) noexcept {
    budget.spend();
    enterBody(line, step, closureOf(step), values, marks);
    return leaveBody(line, step) != Level::over;
}

/// Opens and runs the plain steps in front of the level of `owner`, which is the line's top; null:
/// of the line itself.
[[gnu::always_inline]] inline Level runPlain(Line& line, Step* owner, Budget& budget) noexcept {
    Flow& flow = *line.flow;
    Step*& level = levelOf(line, owner);
    CallArgs args;
    for (;;) {
        Step* const step = level;
        if (step == nullptr || step->kind != StepKind::plain) return Level::through;
        if (budget.spent()) [[unlikely]] {
            flow.tool->enqueue(line);
            return Level::over;
        }
        budget.spend();
        level = step->next;
        step->next = nullptr;
        openPlain(line, *step);
        if (line.values != nullptr) [[unlikely]] {
            args.values = line.values;
            if (!step->ops->wantsValues) {
                if (dropValues(line) != Entered::on) return Level::over;
            }
        }
        enterForGood(*step, *step->ops, step + 1, args);  // leaveBody() looks
        const Level left = leaveBody(line, *step);
        if (left != Level::through) return left;
        if (!kWholeLevel) return Level::look;
    }
}

}  // namespace steptree::detail
