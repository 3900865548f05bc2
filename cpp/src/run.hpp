#pragma once

#include "budget.hpp"
#include "enter.hpp"
#include "fast.hpp"
#include "frame.hpp"

/// A line's turn, as far as kinds of steps run bodies in the place of the engine.
namespace steptree::detail {

// ---- run.cpp
/// A turn that begins anywhere.
void resume(Line& line) noexcept;
/// Runs the line on until its turn is over.
void drive(Line& line, Budget& budget) noexcept;
/// Calls the body of a step that is ready, in its turn; closes one that has ended.
Answer perform(Line& line, Step& step, Answer came, Budget& budget) noexcept;

// ---- settle.cpp
/// Decides what the body has left behind.
Answer settle(Line& line, Step& step) noexcept;
/// The body of the line's top has returned, and the flow is cancelled, observed, or has to look at
/// the clock: whether the turn is over with that.
bool endsTurn(Line& line, Step& step) noexcept;
/// What its body has left is settled in the line's next turn.
void postpone(Line& line, Step& step) noexcept;

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

/// The body of a plain step, which is in its level no more, is to be called.
inline void openPlain(Line& line, Step& step) noexcept {
    line.top = &step;
    line.marks = 0;
}

/// Whether isOver() has to look closer.
inline bool mayBeOver(const Flow& flow) noexcept {
    return (flow.bits & (kCancelLatch | kLooks | kObserved)) != 0;
}

/// Whether the turn is over with this body, whatever it has left.
[[gnu::always_inline]] inline bool isOver(const Flow& flow, Line& line, Step& step) noexcept {
    if (kQuietBody && !mayBeOver(flow)) [[likely]]
        return false;
    return endsTurn(line, step);
}

/// Goes on as a plain step's body wants it, unless the turn is over. Ended: with an ok, and it is
/// closed.
[[gnu::always_inline]] inline Answer leaveInTurn(Line& line, Step& step) noexcept {
    const Flow& flow = *line.flow;
    if (!kBareOk || !isOk(line, step)) {
        return onlyWaits(line, step) ? Answer::pending : settle(line, step);
    }
    if (step.next == nullptr) {
        const bool calls = (step.flags & kHolds) != 0;
        pop(line, step);
        return calls && cancelled(flow, line) ? Answer::pending : Answer::ended;
    }
    if (line.marks != 0) return settle(line, step);
    step.phase = Phase::inner;
    return Answer::again;
}

/// The same, if it is not.
[[gnu::always_inline]] inline Answer leaveBody(Line& line, Step& step) noexcept {
    if (isOver(*line.flow, line, step)) [[unlikely]]
        return Answer::pending;
    return leaveInTurn(line, step);
}

/// Whether the line goes on in another turn: this one's budget is used up.
inline bool isPutBack(Line& line, Budget& budget) noexcept {
    if (!budget.spent()) [[likely]]
        return false;
    line.core().enqueue(line);
    return true;
}

/// Calls the body that the line's top was given: what it has left is for leaveBody().
[[gnu::always_inline]] inline void enterBody(Step& step, void* closure, Results* values) noexcept {
    CallArgs args;
    args.values = values;
    enterForGood(step, *step.ops, closure, args);
}

/// Opens the first step of `level`, which isn't plain.
[[gnu::always_inline]] inline Answer openFirst(Line& line, Step*& level, Budget& budget) noexcept {
    Step& step = *level;
    const Kind& kind = kindOf(step);
    if (!kind.isFree && isPutBack(line, budget)) return Answer::pending;
    openNext(line, level, step);
    step.phase = Phase::inner;
    if (line.values != nullptr && !(kind.isFree ? kind.takesValues : step.ops->wantsValues)) {
        if (forgetValues(line) != Entered::on) [[unlikely]]
            return Answer::pending;
    }
    const Answer came = kind.open(line, step);
    if (came == Answer::again || came == Answer::pending) [[likely]]
        return came;
    return perform(line, step, came, budget);
}

/// Opens and runs the plain steps in front of the level of `owner`, which is the line's top; null:
/// of the line itself. Ended: no plain step is left there.
[[gnu::always_inline]] inline Answer runPlain(Line& line, Step* owner, Budget& budget) noexcept {
    Flow& flow = *line.flow;
    Step*& level = levelOf(line, owner);
    CallArgs args;
    for (;;) {
        Step* const step = level;
        if (step == nullptr || step->kind != StepKind::plain) return Answer::ended;
        if (budget.spent()) [[unlikely]] {
            flow.tool->enqueue(line);
            return Answer::pending;
        }
        budget.spend();
        level = step->next;
        step->next = nullptr;
        openPlain(line, *step);
        if (line.values != nullptr) [[unlikely]] {
            args.values = line.values;
            if (!step->ops->wantsValues) {
                if (forgetValues(line) != Entered::on) return Answer::pending;
            }
        }
        enterForGood(*step, *step->ops, step + 1, args);  // leaveBody() looks
        const Answer left = leaveBody(line, *step);
        if (left != Answer::ended) return left;
        if (!kWholeLevel) return Answer::again;
    }
}

}  // namespace steptree::detail
