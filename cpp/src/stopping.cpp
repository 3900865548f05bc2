#include "stopping.hpp"

#include "awaited.hpp"
#include "cleanup.hpp"
#include "closing.hpp"
#include "error.hpp"
#include "frame.hpp"
#include "onstack.hpp"
#include "report.hpp"

/// What a step has begun takes time to stop: the closing that has asked for that waits.
///
///     closing, error, loop control -> asked to stop -> has ended, or the grace is over -> claimed
///                                  -> the line's turn: goes on from the step
///
/// The step stays the top of its line, shielded as one whose cleanup runs is. What goes through it
/// is kept in its shelter, which was made when it began to wait.
namespace steptree::detail {

namespace {

void over(Shelter& shelter) noexcept {
    Step& step = *shelter.step;
    Line& line = *step.line;
    line.core().disarm(shelter);
    step.phase = Phase::claimed;
    line.core().enqueue(line);
}

/// Whether the step has begun what takes time to stop. It's asked to then, and the first half of
/// leaving the frame is done.
bool asks(Line& line, Step& step, ErrorData* into) noexcept {
    lookAtAwaited(step);
    if (!isAwaiting(step)) return false;
    beginLeaving(line, step, into);
    return askToStop(step);
}

Shelter& begin(Line& line, Step& step, Shelter::State goes) noexcept {
    Shelter& made = shelterOf(step);
    if ((step.flags & kShelters) == 0) shelter(line, step, made);
    made.goes = goes;
    made.before = std::exchange(made.state, Shelter::State::stops);
    step.phase = Phase::cancel;
    armGrace(line, made);
    return made;
}

}  // namespace

Shelter* stopsWithin(Line& line, Step& step, ErrorData* into) noexcept {
    if (!asks(line, step, into)) return nullptr;
    return &begin(line, step, Shelter::State::closed);
}

bool stopsBefore(Line& line, Step& step, Unwinding& unwinding) noexcept {
    if (!asks(line, step, unwinding.error.get())) return false;
    if (unwinding.kind == Unwinding::loud) {
        begin(line, step, Shelter::State::failed).failure = unwinding.error.detach();
    } else {
        Shelter& made = begin(line, step, Shelter::State::controlled);
        made.target = unwinding.stop;
        made.isBreak = unwinding.isBreak;
    }
    return true;
}

void stopsTooLong(Shelter& shelter) noexcept {
    Step& step = *shelter.step;
    Flow& flow = *step.line->flow;
    const OnStack onStack(flow);
    const ErrorRef late = raisedBy(step, errors::Timeout, "what it has begun does not stop");
    abandonAwaited(step);
    over(shelter);
    report(flow, late);
}

void hasStopped(Step& step) noexcept {
    over(shelterOf(step));
}

bool isStopping(Step& step) noexcept {
    return (step.flags & kShelters) != 0 && shelterOf(step).state == Shelter::State::stops;
}

}  // namespace steptree::detail
