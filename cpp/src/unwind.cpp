#include "unwind.hpp"

#include "awaited.hpp"
#include "coroutine.hpp"
#include "fast.hpp"
#include "flow.hpp"
#include "latch.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "stopping.hpp"

/// What goes outwards through open frames: an error, loop control, and a closing that was put off.
/// A frame: drop its queued steps, disarm its timer, cancel what it awaits, call its cancel
/// handler, then, for an error, its error handler; run its deferred functions; leave it. The
/// clearest account of it is spec/model/closing.ts.
namespace steptree::detail {

namespace {

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
inline Answer passFrame(Line& line, Step& step, Unwinding& unwinding) noexcept {
    if ((step.flags & kDefers) != 0) [[unlikely]] {
        putAside(line, step, unwinding);
        return Answer::again;
    }
    if ((step.flags & kShelters) != 0) [[unlikely]]
        leaveShield(line, step, unwinding);
    popAs(line, step, [&] { return whyOf(line, unwinding); });
    return Answer::ended;
}

/// Loop control has come to its loop.
Answer arrive(Line& line, Step& loop, bool isBreak) noexcept {
    line.clearValues();
    if (isBreak) close(line, loop);
    return Answer::again;
}

inline bool hasHandler(const Step& step) noexcept {
    return (step.flags & (kHandler | kHandlerGone)) == kHandler;
}

/// A frame's handler has ended it with ok.
Answer recover(Line& line, Step& step, Unwinding& unwinding) noexcept {
    const bool isShield = (step.flags & kShelters) != 0;
    static_cast<void>(closeOk(line, step));
    // closed; or a shield, whose deferred functions are its level now
    const bool done = !isShield || step.next != nullptr;
    return done || endCleanup(line, step, unwinding) ? Answer::again : Answer::ended;
}

inline Answer handle(Line& line, Step& step, Unwinding& unwinding) noexcept {
    const Answer called = callHandler(line, step, unwinding);
    return called == Answer::again ? afterHandler(line, step, unwinding) : called;
}

/// An error has come to the frame: what its kind and its handler say.
inline Answer askFrame(Line& line, Step& step, Unwinding& unwinding) noexcept {
    const auto failed = kindOf(step).failed;
    if (failed != nullptr && failed(line, step, unwinding.error)) [[unlikely]]
        return Answer::again;
    return hasHandler(step) ? handle(line, step, unwinding) : Answer::ended;
}

/// One frame. The order of the questions is the law, as in js/src/unwind.ts.
inline Answer leaveFrame(Line& line, Step& step, Unwinding& unwinding) noexcept {
    const bool failed = unwinding.kind == Unwinding::loud;
    if (!failed && &step == unwinding.stop) return arrive(line, step, unwinding.isBreak);
    if (failed && (step.flags & kShelters) != 0 && shelterOf(step).cleans()) [[unlikely]] {
        failCleanup(line, step, std::move(unwinding.error));
        return Answer::again;
    }
    if (failed && (step.flags & kResumes) != 0) [[unlikely]] {
        tellCoroutine(line, step, std::move(unwinding.error));
        return Answer::again;
    }
    if (mayTakeTime(step) && stopsBefore(line, step, unwinding)) [[unlikely]]
        return Answer::pending;
    ErrorData* const error = unwinding.error.get();
    if (leave(line, step, error, error) != Entered::on) return Answer::pending;
    const Answer came = failed ? askFrame(line, step, unwinding) : Answer::ended;
    if (came != Answer::ended) return came;
    return unwinding.kind == Unwinding::ok ? recover(line, step, unwinding)
                                           : passFrame(line, step, unwinding);
}

/// The outermost frame of the line has failed.
Answer failLine(Line*& line, Unwinding& unwinding) noexcept {
    Flow& flow = *line->flow;
    dropQueued(flow, line->first);
    if (cancelled(*line)) return Answer::pending;
    if (!line->isBranch()) {
        finish(flow, OutcomeKind::error, std::move(unwinding.error));
        return Answer::pending;
    }
    auto& branch = static_cast<Branch&>(*line);
    Step* const host = branch.host;
    line = host->line;
    if (const auto failed = kindOf(*host).branchFailed) {
        return failed(branch, unwinding.error) ? Answer::ended : Answer::pending;
    }
    closeBranch(branch);
    const bool closed = closeInside(*line, host, unwinding.error);
    return closed && !cancelled(*line) ? Answer::ended : Answer::pending;
}

/// The branch is closed as a part of what its host's line waits for.
Answer leaveBranch(Line*& line, Unwinding& unwinding) noexcept {
    auto& branch = static_cast<Branch&>(*line);
    HostPart& part = branchesOf(*branch.host);
    line = branch.host->line;
    closeBranch(branch);
    if (part.open != 0) return Answer::pending;
    unwinding.stop = part.note.stop();
    if ((line->marks & kError) != 0) unwinding.error = takeError(*line);
    return Answer::ended;
}

/// All frames of the line up to where a closing arrives that was put off.
Answer goSilently(Line*& line, Unwinding& unwinding) noexcept {
    const Answer came = closeFrames(*line, unwinding.stop, unwinding.error);
    if (came != Answer::ended) return came;
    if (cancelled(*line)) return Answer::pending;
    if (unwinding.stop != nullptr) {
        unwinding.kind = Unwinding::loud;
        if (unwinding.error) return Answer::ended;
        unwinding.stop->phase = Phase::inner;  // of a race that is won
        return Answer::again;
    }
    if (line->isBranch()) return leaveBranch(line, unwinding);
    finish(*line->flow, OutcomeKind::cancelled, {});
    return Answer::pending;
}

/// Nobody is called when the frame is left, but for its handler if it has one.
inline bool isBare(const Step& step) noexcept {
    return step.kind == StepKind::plain && (step.flags & (kOwns | kHandlerGone)) == 0 &&
           step.next == nullptr && step.extras == nullptr;
}

/// Nothing but an error goes outwards on the line, and nobody looks on.
inline bool isBare(const Line& line) noexcept {
    if ((line.flow->bits & (kCancelLatch | kObserved)) != 0) return false;
    return line.marks == 0 && line.slot == nullptr && !line.hasValues();
}

inline Answer go(Line*& line, Unwinding& unwinding) noexcept {
    if (unwinding.kind == Unwinding::silent) [[unlikely]]
        return goSilently(line, unwinding);
    if (cancelled(*line)) return Answer::pending;
    Step* const step = line->top;
    if (step == nullptr) return failLine(line, unwinding);
    return leaveFrame(*line, *step, unwinding);
}

/// The handler may have set a cancel handler and failed: that is called in the closing that goes
/// on.
[[gnu::noinline]] Answer afterBareHandler(Line& line, Step& step, Unwinding& unwinding) noexcept {
    const ClosingScope closing(*line.flow);
    const Answer came = afterHandler(line, step, unwinding);
    if (came == Answer::ended && unwinding.kind != Unwinding::ok) {
        return goOutwards(line, std::move(unwinding));
    }
    ClosingScope::noteOutlived(line);
    return came == Answer::ended ? closeOk(line, step) : came;
}

}  // namespace

/// A line that goes on further out stands in the queue before the closing ends, and with it what
/// the cancels that waited for that leave there.
Answer goOutwards(Line& start, Unwinding unwinding) noexcept {
    const ClosingScope closing(*start.flow);
    Line* line = &start;
    Answer came = Answer::ended;
    while (came == Answer::ended) came = go(line, unwinding);
    ClosingScope::noteOutlived(*line);
    if (came == Answer::pending || cancelled(*line)) return Answer::pending;
    if (line == &start) return Answer::again;
    tellAround(*line);
    line->core().enqueue(*line);
    return Answer::pending;
}

/// Most errors pass bare frames only, up to one whose handler recovers.
Answer unwind(Line& line, ErrorRef error) noexcept {
    Unwinding unwinding{Unwinding::loud, nullptr, std::move(error)};
    if (kBareFrames && isBare(line)) [[likely]] {
        for (Step* step = line.top; step != nullptr && isBare(*step); step = line.top) {
            if ((step->flags & kHandler) == 0) {
                pop(line, *step);
                continue;
            }
            const Answer called = callHandler(line, *step, unwinding);
            if (called == Answer::again) return afterBareHandler(line, *step, unwinding);
            return called == Answer::ended ? closeOk(line, *step) : called;
        }
    }
    return goOutwards(line, std::move(unwinding));
}

Answer fail(Line& line) noexcept {
    if ((line.marks & kError) != 0) return unwind(line, takeError(line));
    return goOutwards(line, controlOf(line));
}

void failStep(Step& step, ErrorRef error) noexcept {
    Line& line = *step.line;
    const ClosingScope closing(*line.flow);
    if (!closeInside(line, &step, error) || cancelled(line)) return;
    if (unwind(line, std::move(error)) != Answer::again) return;
    tellAround(line);
    line.core().enqueue(line);
}

Answer afterStop(Line& line, Step& step) noexcept {
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
    if (made.state == Shelter::State::open) return goOutwards(line, std::move(unwinding));
    unshelter(line, step);
    if (made.noted) unwinding = takeNote(line, made, std::move(unwinding.error));
    return goOutwards(line, std::move(unwinding));
}

}  // namespace steptree::detail
