#include "unwind.hpp"

#include "await.hpp"
#include "cancel.hpp"
#include "cleanup.hpp"
#include "closing.hpp"
#include "coroutine.hpp"
#include "flow.hpp"
#include "handler.hpp"
#include "latch.hpp"
#include "parallel.hpp"
#include "retry.hpp"
#include "scope.hpp"
#include "stopping.hpp"

/// What goes outwards through open frames: an error, loop control, and a closing that was put off.
/// A frame: drop its queued steps, disarm its timer, cancel what it awaits, call its cancel
/// handler, then, for an error, its error handler; run its deferred functions; leave it.
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
inline Way controlOf(Line& line) noexcept {
    Way way{Way::control, line.target};
    way.isBreak = (line.marks & kBreak) != 0;
    line.marks = 0;
    return way;
}

/// The cleanup of a frame begins, which keeps what goes through it.
void putAside(Line& line, Step& step, Way& way) noexcept {
    using State = Shelter::State;
    const bool failed = way.kind == Way::loud;
    Shelter& shelter = beginCleanup(line, step, failed ? State::failed : State::controlled);
    if (failed) {
        shelter.failure = way.error.detach();
    } else {
        shelter.target = way.stop;
        shelter.isBreak = way.isBreak;
    }
}

/// A shield is left. What was put off for it takes the place of what goes through it.
void leaveShield(Line& line, Step& step, Way& way) noexcept {
    unshelter(line, step);
    Shelter& shelter = shelterOf(step);
    if (!shelter.noted) return;
    way = takeNote(line, shelter, way.kind == Way::loud ? std::move(way.error) : ErrorRef());
}

/// The frame has had its say.
inline Next passFrame(Line& line, Step& step, Way& way) noexcept {
    if ((step.flags & kDefers) != 0) [[unlikely]] {
        putAside(line, step, way);
        return Next::line;
    }
    if ((step.flags & kShelters) != 0) [[unlikely]]
        leaveShield(line, step, way);
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
Next controlFrame(Line& line, Step& step, Way& way) noexcept {
    if (&step == way.stop) return arrive(line, step, way.isBreak);
    if (mayTakeTime(step) && stopsBefore(line, step, way)) [[unlikely]]
        return Next::nothing;
    leave(line, step, nullptr, nullptr);
    if (cancelled(line)) return Next::nothing;
    return passFrame(line, step, way);
}

inline bool hasHandler(const Step& step) noexcept {
    return (step.flags & (kHandler | kHandlerGone)) == kHandler;
}

/// A frame's handler has ended it with ok.
Next recover(Line& line, Step& step, Way& way) noexcept {
    const bool isShield = (step.flags & kShelters) != 0;
    closeOk(line, step);
    const bool isLeft = !isShield || step.next != nullptr;  // or its cleanup has begun
    if (isLeft || endCleanup(line, step, way)) return unlessCancelled(line, Next::line);
    return Next::outwards;
}

/// One frame, of an error.
inline Next failFrame(Line& line, Step& step, Way& way) noexcept {
    if ((step.flags & kShelters) != 0 && shelterOf(step).cleans()) [[unlikely]] {
        failCleanup(line, step, std::move(way.error));
        return Next::line;
    }
    if ((step.flags & kResumes) != 0) [[unlikely]] {
        tellCoroutine(line, step, std::move(way.error));
        return unlessCancelled(line, Next::line);
    }
    if (mayTakeTime(step) && stopsBefore(line, step, way)) [[unlikely]]
        return Next::nothing;
    leave(line, step, way.error.get(), way.error.get());
    if (cancelled(line)) return Next::nothing;
    if (step.kind == StepKind::retry && tryAgain(line, step, way.error)) [[unlikely]]
        return unlessCancelled(line, Next::line);
    switch (hasHandler(step) ? handle(line, step, way.error) : Left::error) {
        case Left::ok:
            return recover(line, step, way);
        case Left::steps:
            return Next::line;
        case Left::control:
            way = controlOf(line);
            return Next::outwards;
        case Left::nothing:
            return Next::nothing;
        case Left::error:
            break;
    }
    return passFrame(line, step, way);
}

/// The outermost frame of the line has failed.
Next failLine(Line*& line, Way& way) noexcept {
    Flow& flow = *line->flow;
    dropQueued(flow, line->first);
    if (cancelled(*line)) return Next::nothing;
    if (!line->isBranch()) {
        finish(flow, OutcomeKind::error, std::move(way.error));
        return Next::nothing;
    }
    auto& branch = static_cast<Branch&>(*line);
    Step* const host = branch.host;
    line = host->line;
    if ((host->flags & kAny) != 0) {
        return branchFailed(branch, way.error) ? Next::outwards : Next::nothing;
    }
    branchClosed(branch);
    const bool closed = closeInside(*line, host, way.error);
    return closed && !cancelled(*line) ? Next::outwards : Next::nothing;
}

/// The branch is closed as a part of what its host's line waits for.
Next leaveBranch(Line*& line, Way& way) noexcept {
    auto& branch = static_cast<Branch&>(*line);
    ParallelPart& part = partOf<ParallelPart>(*branch.host);
    line = branch.host->line;
    branchClosed(branch);
    if (part.open != 0) return Next::nothing;
    way.stop = part.stop;
    if ((line->marks & kError) != 0) way.error = takeError(*line);
    return Next::outwards;
}

/// All frames of the line up to where a closing arrives that was put off.
Next goSilently(Line*& line, Way& way) noexcept {
    const Came came = closeFrames(*line, way.stop, way.error);
    if (came != Came::through) return came == Came::cleans ? Next::line : Next::nothing;
    if (cancelled(*line)) return Next::nothing;
    if (way.stop != nullptr) {
        way.kind = Way::loud;
        if (way.error) return Next::outwards;
        way.stop->phase = Phase::inner;  // of a race that is won
        return Next::line;
    }
    if (line->isBranch()) return leaveBranch(line, way);
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

inline Next go(Line*& line, Way& way) noexcept {
    if (way.kind == Way::silent) [[unlikely]]
        return goSilently(line, way);
    if (cancelled(*line)) return Next::nothing;
    Step* const step = line->top;
    if (step == nullptr) return failLine(line, way);
    if (way.kind == Way::control) return controlFrame(*line, *step, way);
    return failFrame(*line, *step, way);
}

}  // namespace

/// A line that goes on further out stands in the queue before the closing ends, and with it what
/// the cancels that waited for that leave there.
Line* goOutwards(Line* start, Way way) noexcept {
    const Closing closing(*start->flow);
    Line* line = start;
    Next next = Next::outwards;
    while (next == Next::outwards) next = go(line, way);
    Closing::stops(*line);
    if (next != Next::line) return nullptr;
    if (line != start) line->core().enqueue(*line);
    return line;
}

/// Most errors pass bare frames only, up to one whose handler recovers.
Line* unwind(Line& line, ErrorRef error) noexcept {
    if (isBare(line)) [[likely]] {
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
    return goOutwards(&line, {Way::loud, nullptr, std::move(error)});
}

Line* unwindControl(Line& line) noexcept {
    return goOutwards(&line, controlOf(line));
}

}  // namespace steptree::detail
