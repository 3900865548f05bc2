#include "cold.hpp"
#include "engine.hpp"
#include "extras.hpp"

/// Closing: errors, loop control, timeouts and cancels on their way outwards, innermost frame
/// first. A frame: drop its queued steps, disarm its timer, cancel what it awaits, call its cancel
/// handler, then, for an error that is not silent here, its error handler; leave it.
namespace steptree::detail {

namespace {

/// Errors that the closing overtakes: the rejection of what the step awaits, which is later than
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
    if (step.extras != nullptr) disarmStep(step);
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

/// One frame of an error. True: the line goes on from here, or its flow is to be cancelled.
bool unwindFrame(Line& line, Step& step, ErrorRef& error) noexcept {
    leave(line, step, error.get(), error.get());
    if (line.flow->cancelled()) return true;
    if ((step.flags & (kHandler | kHandlerGone)) == kHandler && handle(line, step, error)) {
        return true;
    }
    pop(line, step);
    return false;
}

}  // namespace

Line* unwind(Line& from, ErrorRef error) noexcept {
    const Closing closing(*from.flow);
    Flow& flow = *from.flow;
    Line* line = &from;
    for (;;) {
        if (Step* step = line->top) {
            if (!unwindFrame(*line, *step, error)) continue;
            if (flow.cancelled()) return nullptr;
            return (line->marks & kControl) != 0 ? unwindControl(*line) : line;
        }
        dropQueued(flow, line->first);
        if (flow.cancelled()) return nullptr;
        if (!line->isBranch()) {
            finish(flow, OutcomeKind::error, std::move(error));
            return nullptr;
        }
        auto& branch = static_cast<Branch&>(*line);
        Step* host = branch.host;
        line = host->line;
        if ((host->flags & kAny) != 0) [[unlikely]] {
            if (!branchFailed(branch, error)) return nullptr;
            continue;
        }
        branchClosed(branch);
        cancelInside(*line, host, error.get());
        if (flow.cancelled()) return nullptr;
    }
}

Line* unwindControl(Line& line) noexcept {
    const Closing closing(*line.flow);
    Step& loop = *line.target;
    const bool isBreak = (line.marks & kBreak) != 0;
    line.marks = 0;
    cancelInside(line, &loop, nullptr);
    if (line.flow->cancelled()) return nullptr;
    line.clearValues();
    if (isBreak) close(line, loop);
    return &line;
}

void cancelInside(Line& base, Step* stop, ErrorData* into) noexcept {
    Line* line = &base;
    for (;;) {
        Step* step = line->top;
        line->core().remove(*line);
        if (step != nullptr && step->hasBranches()) {
            if (Branch* branch = nextOpenBranch(*step)) {
                line = branch;
                continue;
            }
        }
        if (line == &base && step == stop) return;
        if (step != nullptr) {
            leave(*line, *step, nullptr, into);
            pop(*line, *step);
            continue;
        }
        auto& branch = static_cast<Branch&>(*line);
        dropQueued(*line->flow, line->first);
        line = branch.host->line;
        branchClosed(branch);
    }
}

}  // namespace steptree::detail
