#include "unwind.hpp"

#include "awaited.hpp"
#include "cancel.hpp"
#include "cleanup.hpp"
#include "closing.hpp"
#include "coroutine.hpp"
#include "fast.hpp"
#include "flow.hpp"
#include "frame.hpp"
#include "handler.hpp"
#include "latch.hpp"
#include "scope.hpp"
#include "stopping.hpp"

/// What goes outwards through open frames: an error, loop control, and a closing that was put off.
/// A frame: drop its queued steps, disarm its timer, cancel what it awaits, call its cancel
/// handler, then, for an error, its error handler; run its deferred functions; leave it. The
/// clearest account of it is spec/model/closing.ts.
namespace steptree::detail {

namespace {

/// What becomes of it after a part of its way.
enum class Next : std::uint8_t {
    outwards,
    line,    // it is over, and the line goes on
    nothing  // the flow has ended, or is to be cancelled, or something waits
};

inline Next unlessCancelled(const Line& line, Next next) noexcept {
    return cancelled(line) ? Next::nothing : next;
}

/// What the latched break or continue of the line's top does.
inline Unwinding controlOf(Line& line) noexcept {
    Unwinding unwinding{Unwinding::control, line.target};
    unwinding.isBreak = (line.marks & kBreak) != 0;
    line.marks = 0;
    return unwinding;
}

/// The cleanup of a frame begins, which keeps what goes through it.
void putAside(Line& line, Step& step, Unwinding& unwinding) noexcept {
    using State = Shelter::State;
    const bool failed = unwinding.kind == Unwinding::loud;
    Shelter& shelter = beginCleanup(line, step, failed ? State::failed : State::controlled);
    if (failed) {
        shelter.failure = unwinding.error.detach();
    } else {
        shelter.target = unwinding.stop;
        shelter.isBreak = unwinding.isBreak;
    }
}

/// A shield is left. What was put off for it takes the place of what goes through it.
void leaveShield(Line& line, Step& step, Unwinding& unwinding) noexcept {
    unshelter(line, step);
    Shelter& shelter = shelterOf(step);
    if (!shelter.noted) return;
    unwinding = takeNote(
        line, shelter, unwinding.kind == Unwinding::loud ? std::move(unwinding.error) : ErrorRef());
}

/// The frame has had its say.
inline Next passFrame(Line& line, Step& step, Unwinding& unwinding) noexcept {
    if ((step.flags & kDefers) != 0) [[unlikely]] {
        putAside(line, step, unwinding);
        return Next::line;
    }
    if ((step.flags & kShelters) != 0) [[unlikely]]
        leaveShield(line, step, unwinding);
    pop(line, step);
    return Next::outwards;
}

/// Loop control has come to its loop.
Next arrive(Line& line, Step& loop, bool isBreak) noexcept {
    line.clearValues();
    if (isBreak) close(line, loop);
    return Next::line;
}

/// One frame, of loop control.
Next controlFrame(Line& line, Step& step, Unwinding& unwinding) noexcept {
    if (&step == unwinding.stop) return arrive(line, step, unwinding.isBreak);
    if (mayTakeTime(step) && stopsBefore(line, step, unwinding)) [[unlikely]]
        return Next::nothing;
    if (leave(line, step, nullptr, nullptr) != Entered::on) return Next::nothing;
    return passFrame(line, step, unwinding);
}

inline bool hasHandler(const Step& step) noexcept {
    return (step.flags & (kHandler | kHandlerGone)) == kHandler;
}

/// A frame's handler has ended it with ok.
Next recover(Line& line, Step& step, Unwinding& unwinding) noexcept {
    const bool isShield = (step.flags & kShelters) != 0;
    closeOk(line, step);
    // closed; or a shield, whose deferred functions are its level now
    const bool done = !isShield || step.next != nullptr;
    if (done || endCleanup(line, step, unwinding)) return unlessCancelled(line, Next::line);
    return Next::outwards;
}

/// One frame, of an error.
inline Next failFrame(Line& line, Step& step, Unwinding& unwinding) noexcept {
    if ((step.flags & kShelters) != 0 && shelterOf(step).cleans()) [[unlikely]] {
        failCleanup(line, step, std::move(unwinding.error));
        return Next::line;
    }
    if ((step.flags & kResumes) != 0) [[unlikely]] {
        tellCoroutine(line, step, std::move(unwinding.error));
        return unlessCancelled(line, Next::line);
    }
    if (mayTakeTime(step) && stopsBefore(line, step, unwinding)) [[unlikely]]
        return Next::nothing;
    ErrorData* const error = unwinding.error.get();
    if (leave(line, step, error, error) != Entered::on) return Next::nothing;
    const auto failed = kindOf(step).failed;
    if (failed != nullptr && failed(line, step, unwinding.error)) [[unlikely]]
        return unlessCancelled(line, Next::line);
    switch (hasHandler(step) ? handle(line, step, unwinding.error) : Left::error) {
        case Left::ok:
            return recover(line, step, unwinding);
        case Left::steps:
            return Next::line;
        case Left::control:
            unwinding = controlOf(line);
            return Next::outwards;
        case Left::nothing:
            return Next::nothing;
        case Left::error:
            break;
    }
    return passFrame(line, step, unwinding);
}

/// The outermost frame of the line has failed.
Next failLine(Line*& line, Unwinding& unwinding) noexcept {
    Flow& flow = *line->flow;
    dropQueued(flow, line->first);
    if (cancelled(*line)) return Next::nothing;
    if (!line->isBranch()) {
        finish(flow, OutcomeKind::error, std::move(unwinding.error));
        return Next::nothing;
    }
    auto& branch = static_cast<Branch&>(*line);
    Step* const host = branch.host;
    line = host->line;
    if (const auto failed = kindOf(*host).branchFailed) {
        return failed(branch, unwinding.error) ? Next::outwards : Next::nothing;
    }
    closeBranch(branch);
    const bool closed = closeInside(*line, host, unwinding.error);
    return closed && !cancelled(*line) ? Next::outwards : Next::nothing;
}

/// The branch is closed as a part of what its host's line waits for.
Next leaveBranch(Line*& line, Unwinding& unwinding) noexcept {
    auto& branch = static_cast<Branch&>(*line);
    HostPart& part = branchesOf(*branch.host);
    line = branch.host->line;
    closeBranch(branch);
    if (part.open != 0) return Next::nothing;
    unwinding.stop = part.stop;
    if ((line->marks & kError) != 0) unwinding.error = takeError(*line);
    return Next::outwards;
}

/// All frames of the line up to where a closing arrives that was put off.
Next goSilently(Line*& line, Unwinding& unwinding) noexcept {
    const Came came = closeFrames(*line, unwinding.stop, unwinding.error);
    if (came != Came::through) return came == Came::cleans ? Next::line : Next::nothing;
    if (cancelled(*line)) return Next::nothing;
    if (unwinding.stop != nullptr) {
        unwinding.kind = Unwinding::loud;
        if (unwinding.error) return Next::outwards;
        unwinding.stop->phase = Phase::inner;  // of a race that is won
        return Next::line;
    }
    if (line->isBranch()) return leaveBranch(line, unwinding);
    finish(*line->flow, OutcomeKind::cancelled, {});
    return Next::nothing;
}

/// Nobody is called when the frame is left, but for its handler if it has one.
inline bool isBare(const Step& step) noexcept {
    return step.kind == StepKind::plain && (step.flags & (kOwns | kHandlerGone)) == 0 &&
           step.next == nullptr && step.extras == nullptr;
}

/// Nothing but an error goes outwards on the line.
inline bool isBare(const Line& line) noexcept {
    return line.marks == 0 && line.slot == nullptr && !line.hasValues() && !cancelled(line);
}

inline Next go(Line*& line, Unwinding& unwinding) noexcept {
    if (unwinding.kind == Unwinding::silent) [[unlikely]]
        return goSilently(line, unwinding);
    if (cancelled(*line)) return Next::nothing;
    Step* const step = line->top;
    if (step == nullptr) return failLine(line, unwinding);
    if (unwinding.kind == Unwinding::control) return controlFrame(*line, *step, unwinding);
    return failFrame(*line, *step, unwinding);
}

}  // namespace

/// A line that goes on further out stands in the queue before the closing ends, and with it what
/// the cancels that waited for that leave there.
Line* goOutwards(Line* start, Unwinding unwinding) noexcept {
    const ClosingScope closing(*start->flow);
    Line* line = start;
    Next next = Next::outwards;
    while (next == Next::outwards) next = go(line, unwinding);
    ClosingScope::noteOutlived(*line);
    if (next != Next::line) return nullptr;
    if (line != start) line->core().enqueue(*line);
    return line;
}

/// Most errors pass bare frames only, up to one whose handler recovers.
Line* unwind(Line& line, ErrorRef error) noexcept {
    if (kBareFrames && isBare(line)) [[likely]] {
        for (Step* step = line.top; step != nullptr && isBare(*step); step = line.top) {
            if ((step->flags & kHandler) == 0) {
                pop(line, *step);
                continue;
            }
            const Left left = handle(line, *step, error);
            if (left == Left::error) break;
            if (left == Left::control) return unwindControl(line);
            if (left == Left::ok) [[likely]]
                closeOk(line, *step);
            return cancelled(line) ? nullptr : &line;
        }
    }
    return goOutwards(&line, {Unwinding::loud, nullptr, std::move(error)});
}

Line* unwindControl(Line& line) noexcept {
    return goOutwards(&line, controlOf(line));
}

void failStep(Step& step, ErrorRef error) noexcept {
    Line& line = *step.line;
    const ClosingScope closing(*line.flow);
    if (!closeInside(line, &step, error) || cancelled(line)) return;
    if (Line* const recovered = unwind(line, std::move(error)))
        recovered->core().enqueue(*recovered);
}

Line* afterStop(Line& line, Step& step) noexcept {
    Shelter& made = shelterOf(step);
    Unwinding unwinding;
    if (made.goes == Shelter::State::failed) {
        unwinding.error = ErrorRef(std::exchange(made.failure, nullptr));
    } else if (made.goes == Shelter::State::controlled) {
        unwinding.kind = Unwinding::control;
        unwinding.stop = std::exchange(made.target, nullptr);
        unwinding.isBreak = made.isBreak;
    }
    made.state = made.before;
    step.phase = Phase::cancel;
    if (made.state == Shelter::State::open) return goOutwards(&line, std::move(unwinding));
    unshelter(line, step);
    if (made.noted) unwinding = takeNote(line, made, std::move(unwinding.error));
    return goOutwards(&line, std::move(unwinding));
}

}  // namespace steptree::detail
