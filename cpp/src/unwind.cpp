#include "cleanup.hpp"

/// Closing: errors, loop control, timeouts and cancels on their way outwards, innermost frame
/// first. A frame: drop its queued steps, disarm its timer, cancel what it awaits, call its cancel
/// handler, then, for an error that is not silent here, its error handler; run its deferred
/// functions; leave it.
///
/// A closing leaves what is shielded alone, but for a note: where it was going, and with what. When
/// the outermost shielded frame of a line inside of that is left, it goes on from there, and when
/// the last branch that a parallel step has waited for is closed, from that step. The note of a
/// parallel step: `stop`, the line's error, and its phase is `cancel`. What is between the note and
/// `stop` is closed already but for its frames, whose timers have no say any more. A branch of a
/// step with a note has one itself, for all of its line.
namespace steptree::detail {

namespace {

/// Errors that the closing overtakes: the rejection that the step has heard of, which is later than
/// any latch and replaces it, else what was latched or claimed; and what another thread has claimed
/// that has not arrived yet.
void overtake(Line& line, Step& step, ErrorData* into) noexcept {
    ErrorRef latched = (line.marks & kError) != 0 ? takeError(line) : ErrorRef();
    line.marks = 0;
    if (step.extras != nullptr) {
        if (ErrorRef rejection = takeRejection(step)) latched = std::move(rejection);
    }
    if (latched && into != nullptr) addAlso(*into, std::move(latched));
    if (line.slot == nullptr) return;
    Away* away = line.core().releaseSlot(std::exchange(line.slot, nullptr));
    ErrorRef claimed = errorOf(away, step);
    if (claimed && into != nullptr) addAlso(*into, std::move(claimed));
}

void leaveParts(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    if (step.next != nullptr) dropQueued(*line.flow, step.next);
    if (step.extras != nullptr) {
        disarmStep(step);
        lookAtAwaited(step);
    }
    overtake(line, step, into);
    line.clearValues();
    if (step.extras == nullptr) return;
    cancelAwaited(step);
    callCancelHandler(line, step, passing);
}

/// What only frames of some kinds have.
void leaveOwn(Line& line, Step& step) noexcept {
    if (step.kind == StepKind::lock) leaveLock(line, step);
    if (step.kind == StepKind::map) closeSource(step);
}

/// All of a frame's closing up to its error handler. `into` gets the errors that are overtaken.
inline void leave(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    if (step.kind >= StepKind::lock) [[unlikely]]
        leaveOwn(line, step);
    step.phase = Phase::cancel;
    const bool bare = step.next == nullptr && step.extras == nullptr && line.slot == nullptr;
    if (bare && line.marks == 0 && !line.hasValues()) return;
    leaveParts(line, step, passing, into);
}

/// What the latched break or continue of the line's top does.
inline Way controlOf(Line& line) noexcept {
    Way way{Way::control, line.target};
    way.isBreak = (line.marks & kBreak) != 0;
    line.marks = 0;
    return way;
}

/// A frame that owes more than its leaving. True: its cleanup begins; else what goes on from it.
bool putAside(Line& line, Step& step, Way& way) noexcept {
    const bool failed = way.kind == Way::loud;
    if ((step.flags & kDefers) != 0) {
        using State = Shelter::State;
        Shelter& shelter = beginCleanup(line, step, failed ? State::failed : State::controlled);
        if (failed) {
            shelter.failure = way.error.detach();
        } else {
            shelter.target = way.stop;
            shelter.isBreak = way.isBreak;
        }
        return true;
    }
    unshelter(line, step);
    Shelter& shelter = shelterOf(step);
    if (shelter.noted) way = takeNote(line, shelter, failed ? std::move(way.error) : ErrorRef());
    return false;
}

/// What a shielded frame kept that nobody waits for.
void loseOutcome(Line& line, Shelter& shelter, ErrorData* into) noexcept {
    ErrorRef waiting(std::exchange(shelter.error, nullptr));
    if (waiting && into != nullptr) addAlso(*into, std::move(waiting));
    if (shelter.state != Shelter::State::failed) return;
    ErrorRef failure(std::exchange(shelter.failure, nullptr));
    if (into != nullptr) return addAlso(*into, std::move(failure));
    if (shelter.late) report(*line.flow, failure);
}

/// The same as leave() of a frame that can't wait.
void leaveAtOnce(Line& line, Step& step, ErrorData* into) noexcept {
    const ErrorRef left = step.kind == StepKind::deferred ? leftBy(line, step) : ErrorRef();
    leave(line, step, nullptr, into);
    if (left) report(*line.flow, left);
}

/// The note of a line that is closed as a whole says nothing but that: that of a line around it
/// does. Null: of a cancel, or of a race that is won.
ErrorData* closingError(Line& line) noexcept {
    for (Line* at = &line; at->isBranch();) {
        Step& host = *static_cast<Branch*>(at)->host;
        at = host.line;
        if (partOf<ParallelPart>(host).stop == nullptr) continue;
        return (at->marks & kError) != 0 ? at->error : nullptr;
    }
    return nullptr;
}

/// Frames from `step` to `stop`, which are going to be closed.
void disarmFrames(Step* step, Step* stop) noexcept {
    for (; step != nullptr && step != stop; step = step->parent) {
        if (step->extras != nullptr) disarmStep(*step);
    }
}

/// The outermost of the line's shielded frames inside `stop`.
Shelter* shelterInside(Line& line, Step* stop) noexcept {
    if ((line.bits & kSheltered) == 0) return nullptr;
    Step* found = nullptr;
    for (Step* step = line.top; step != nullptr && step != stop; step = step->parent) {
        if ((step->flags & kShelters) != 0) found = step;
    }
    return found != nullptr ? &shelterOf(*found) : nullptr;
}

/// A wider closing takes the place of the one that waits.
inline void replace(ErrorRef waiting, const ErrorRef& error) noexcept {
    if (waiting && error) addAlso(*error.get(), std::move(waiting));
}

inline bool isHost(const Step* step) noexcept {
    return step != nullptr && step->hasBranches();
}
/// It has a note.
inline bool waits(Step* step) noexcept {
    return isHost(step) && step->phase == Phase::cancel && partOf<ParallelPart>(*step).open != 0;
}

void noteHost(Line& line, Step& host, Step* stop, const ErrorRef& error) noexcept {
    ParallelPart& part = partOf<ParallelPart>(host);
    const bool noted = host.phase == Phase::cancel;
    if (!noted || part.stop != nullptr) disarmFrames(noted ? part.stop : &host, stop);
    if ((line.marks & kError) != 0) replace(takeError(line), error);
    host.phase = Phase::cancel;
    part.stop = stop;
    line.marks = 0;
    if (error) latchFail(line, error);
}

void putNote(Shelter& shelter, Step* stop, const ErrorRef& error) noexcept {
    shelter.noted = true;
    shelter.stop = stop;
    shelter.error = ErrorRef(error).detach();
}

void note(Shelter& shelter, Step* stop, const ErrorRef& error) noexcept {
    if (!shelter.noted || shelter.stop != nullptr) {
        disarmFrames(shelter.noted ? shelter.stop : shelter.step->parent, stop);
    }
    replace(ErrorRef(std::exchange(shelter.error, nullptr)), error);
    putNote(shelter, stop, error);
}

/// Whether all of the line that is inside `stop` waits for something. Branches of one that waits
/// already need not be looked at, unless `again`.
bool putOff(Line& line, Step* stop, const ErrorRef& error, bool again) noexcept {
    if (Shelter* shelter = shelterInside(line, stop)) {
        note(*shelter, stop, error);
        return true;
    }
    if (again || !waits(line.top)) return false;
    noteHost(line, *line.top, stop, error);
    return true;
}

/// Closes the frames of the line inside `stop`. False: the cleanup of one has begun, which `error`
/// is noted with. `begins`: it doesn't go on from a note, so that frames it leaves are disarmed.
bool closeFrames(Line& line, Step* stop, const ErrorRef& error, ErrorData* into, Manner manner,
                 bool begins = true) noexcept {
    while (Step* step = line.top) {
        if (step == stop) return true;
        const bool owes = (step->flags & (kDefers | kShelters)) != 0;
        if (manner == Manner::atOnce && owes) [[unlikely]] {
            if ((step->flags & kDefers) != 0) {
                leaveAtOnce(line, *step, into);
                beginCleanup(line, *step, Shelter::State::closed);
            }
            if (callDeferred(line, *step)) continue;
        }
        if (manner == Manner::atOnce) {
            leaveAtOnce(line, *step, into);
        } else {
            leave(line, *step, nullptr, into);
        }
        if (owes) [[unlikely]] {
            if (manner == Manner::patient) {
                Shelter& shelter = beginCleanup(line, *step, Shelter::State::closed);
                if (begins) disarmFrames(step->parent, stop);
                putNote(shelter, stop, error);
                return false;
            }
            unshelter(line, *step);
            loseOutcome(line, shelterOf(*step), into);
        }
        pop(line, *step);
    }
    dropQueued(*line.flow, line.first);
    return true;
}

}  // namespace

ErrorData* noted(Line& line, const Shelter& shelter) noexcept {
    return shelter.stop != nullptr ? shelter.error : closingError(line);
}

void joinNote(Line& line, Shelter& shelter, ErrorRef failure) noexcept {
    ErrorData* const into = noted(line, shelter);
    if (into != nullptr) {
        addAlso(*into, std::move(failure));
    } else if (shelter.late) {
        report(*line.flow, failure);
    }
}

Way takeNote(Line& line, Shelter& shelter, ErrorRef failure) noexcept {
    if (failure) joinNote(line, shelter, std::move(failure));
    shelter.noted = false;
    return {Way::silent, shelter.stop, ErrorRef(std::exchange(shelter.error, nullptr))};
}

Line* goOutwards(Line* line, Way way) noexcept {
    Flow& flow = *line->flow;
    const Closing closing(flow);
    for (;;) {
        Step* const step = line->top;
        if (way.kind == Way::silent) [[unlikely]] {
            ErrorData* const into = way.error.get();  // frames without latches: nothing goes there
            if (!closeFrames(*line, way.stop, way.error, into, Manner::patient, false)) return line;
            if (cancelled(*line)) return nullptr;
            if (way.stop != nullptr) {
                way.kind = Way::loud;
                if (way.error) continue;
                way.stop->phase = Phase::inner;  // of a race that is won
                return line;
            }
            if (!line->isBranch()) {
                finish(flow, OutcomeKind::cancelled, {});
                return nullptr;
            }
            auto& branch = static_cast<Branch&>(*line);
            ParallelPart& part = partOf<ParallelPart>(*branch.host);
            line = branch.host->line;
            branchClosed(branch);
            if (part.open != 0) return nullptr;
            way.stop = part.stop;
            if ((line->marks & kError) != 0) way.error = takeError(*line);
            continue;
        }
        if (step == nullptr) {
            dropQueued(flow, line->first);
            if (cancelled(*line)) return nullptr;
            if (!line->isBranch()) {
                finish(flow, OutcomeKind::error, std::move(way.error));
                return nullptr;
            }
            auto& branch = static_cast<Branch&>(*line);
            Step* const host = branch.host;
            line = host->line;
            if ((host->flags & kAny) != 0) [[unlikely]] {
                if (!branchFailed(branch, way.error)) return nullptr;
                continue;
            }
            branchClosed(branch);
            if (!closeInside(*line, host, way.error) || cancelled(*line)) return nullptr;
            continue;
        }
        if (way.kind == Way::control) {
            if (step == way.stop) {
                line->clearValues();
                if (way.isBreak) close(*line, *step);
                return line;
            }
            leave(*line, *step, nullptr, nullptr);
            if (cancelled(*line)) return nullptr;
        } else {
            if ((step->flags & kShelters) != 0 && shelterOf(*step).cleans()) [[unlikely]] {
                failCleanup(*line, *step, std::move(way.error));
                return line;
            }
            leave(*line, *step, way.error.get(), way.error.get());
            if (cancelled(*line)) return nullptr;
            if (step->kind == StepKind::retry && tryAgain(*line, *step, way.error)) [[unlikely]]
                return cancelled(*line) ? nullptr : line;
            if ((step->flags & (kHandler | kHandlerGone)) == kHandler &&
                handle(*line, *step, way.error)) {
                if (cancelled(*line)) return nullptr;
                if ((line->marks & kControl) == 0) return line;
                way = controlOf(*line);
                continue;
            }
        }
        if ((step->flags & (kDefers | kShelters)) != 0) [[unlikely]] {
            if (putAside(*line, *step, way)) return line;
        }
        pop(*line, *step);
    }
}

Line* unwind(Line& line, ErrorRef error) noexcept {
    return goOutwards(&line, {Way::loud, nullptr, std::move(error)});
}

Line* unwindControl(Line& line) noexcept {
    return goOutwards(&line, controlOf(line));
}

bool closeInside(Line& base, Step* stop, const ErrorRef& error, Manner manner) noexcept {
    const ErrorRef none;
    const bool patient = manner == Manner::patient;
    const bool again = stop == nullptr && !base.isBranch();
    Line* line = &base;
    for (;;) {
        bool closed = false;
        if (!patient ||
            !putOff(*line, line == &base ? stop : nullptr, line == &base ? error : none, again)) {
            line->core().remove(*line);
            if (isHost(line->top)) {
                if (Branch* branch = stopBranches(*line->top)) {
                    line = branch;
                    continue;
                }
                dropUnstarted(*line->top);
            }
            closed = closeFrames(*line, line == &base ? stop : nullptr,
                                 line == &base ? error : none, error.get(), manner);
            if (!closed) line->core().enqueue(*line);
        }
        Branch* next = nullptr;
        while (next == nullptr) {
            if (line == &base) return closed;
            auto& branch = static_cast<Branch&>(*line);
            Step& host = *branch.host;
            next = branch.younger;
            if (closed) branchClosed(branch);
            line = host.line;
            if (next != nullptr) break;
            dropUnstarted(host);
            Step* const last = line == &base ? stop : nullptr;
            const ErrorRef& arriving = line == &base ? error : none;
            if (partOf<ParallelPart>(host).open != 0) {
                noteHost(*line, host, last, arriving);
                closed = false;
            } else {
                closed = closeFrames(*line, last, arriving, error.get(), manner);
                if (!closed) line->core().enqueue(*line);
            }
        }
        line = next;
    }
}

}  // namespace steptree::detail
