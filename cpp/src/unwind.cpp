#include "cold.hpp"
#include "engine.hpp"
#include "extras.hpp"

/// Closing: errors, loop control, timeouts and cancels on their way outwards, innermost frame
/// first. A frame: drop its queued steps, disarm its timer, cancel what it awaits, call its cancel
/// handler, then, for an error that is not silent here, its error handler; leave it.
namespace steptree::detail {

namespace {

/// Handlers may look at the error while this exists.
class View {
  public:
    View(Flow& flow, ErrorData* error) noexcept
        : share_(flow.share()), flow_(share_.errorFlow), error_(share_.error) {
        if (error != nullptr) sortAlso(*error);
        share_.errorFlow = error != nullptr ? &flow : nullptr;
        share_.error = error;
    }
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() {
        share_.errorFlow = flow_;
        share_.error = error_;
    }

  private:
    EngineShare& share_;
    Flow* flow_;
    ErrorData* error_;
};

void callCancelHandler(Line& line, Step& step, ErrorData* error) noexcept {
    auto* extra = static_cast<CancelExtra*>(findExtra(step, Extra::cancel));
    if (extra == nullptr || extra->forgotten) return;
    const View view(*line.flow, error);
    step.phase = Phase::cancel;
    CallArgs args;
    try {
        extra->ops->call(step, extra->closure(), args);
    } catch (...) {
        report(*line.flow, std::current_exception(), step);
    }
    extra->live = false;
    if (extra->ops->destroy == nullptr) return;
    try {
        extra->ops->destroy(extra->closure());
    } catch (...) {
        report(*line.flow, std::current_exception(), step);
    }
}

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

/// All of a frame's closing up to its error handler. `into` gets the errors that are overtaken.
void leave(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    step.phase = Phase::cancel;
    if (step.next != nullptr) dropQueued(*line.flow, step.next);
    if (step.extras != nullptr) disarmStep(step);
    overtake(line, step, into);
    if (!line.results.empty()) line.results.clear();
    if (step.extras == nullptr) return;
    cancelAwaited(step);
    callCancelHandler(line, step, passing);
}

/// What a handler may set in vain: without steps that it adds, nothing protects anything.
void forgetWaits(Step& step) noexcept {
    disarmStep(step);
    if (Extra* extra = findExtra(step, Extra::cancel)) {
        auto& cancel = static_cast<CancelExtra&>(*extra);
        cancel.live = false;
        if (cancel.ops->destroy == nullptr) return;
        try {
            cancel.ops->destroy(cancel.closure());
        } catch (...) {
            report(*step.line->flow, std::current_exception(), step);
        }
    }
}

enum class Handled { goesOn, steps, ok, control };

/// Calls the frame's error handler; `error` becomes what goes on to the parent.
Handled callHandler(Line& line, Step& step, ErrorRef& error) noexcept {
    step.flags |= kHandlerGone;
    step.phase = Phase::handler;
    line.marks = 0;
    const View view(*line.flow, error.get());
    HandlerPart& handler = handlerOf(step);
    CallArgs args;
    args.code = &error->code;
    {
        const Aside aside(line.share());
        invoke(line, step, *handler.ops, &handler + 1, args);
    }
    if (line.flow->cancelled()) return Handled::goesOn;
    const std::uint32_t marks = line.marks;
    if ((marks & kControl) != 0) return Handled::control;
    ErrorRef replaced = error;
    if ((marks & kError) != 0) {
        error = takeError(line);
    } else if ((marks & kSuccessAgain) != 0) {
        error = makeError(step, errors::InternalError, "success was called twice");
    } else if ((marks & kSuccess) != 0 && step.next != nullptr) {
        error = makeError(step, errors::InternalError, "success and inner steps");
    } else if (step.next != nullptr) {
        return Handled::steps;
    } else if ((marks & kSuccess) != 0) {
        return Handled::ok;
    } else if ((marks & kAwaitable) != 0) {
        error = makeError(step, errors::InternalError,
                          "a handler can't return an awaitable: add a step that awaits it");
    }
    if (error.get() != replaced.get()) replaces(*error.get(), *replaced.get());
    return Handled::goesOn;
}

/// One frame of an error. True: the line goes on from here.
bool unwindFrame(Line& line, Step& step, ErrorRef& error) noexcept {
    leave(line, step, error.get(), error.get());
    if (line.flow->cancelled()) return true;
    if ((step.flags & (kHandler | kHandlerGone)) == kHandler) {
        const Handled handled = callHandler(line, step, error);
        if (line.flow->cancelled()) {
            if (step.next == nullptr) forgetWaits(step);
            return true;
        }
        if (handled == Handled::steps) {
            clearMarks(line);
            step.phase = Phase::inner;
            return true;
        }
        forgetWaits(step);
        if (handled == Handled::control) return true;
        if (handled == Handled::ok) {
            clearMarks(line);
            close(line, step);
            return true;
        }
        clearMarks(line);
        line.results.clear();
        dropQueued(*line.flow, step.next);
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
        branchClosed(branch);
        line = host->line;
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
    line.results.clear();
    if (isBreak) close(line, loop);
    return &line;
}

void cancelInside(Line& base, Step* stop, ErrorData* into) noexcept {
    Line* line = &base;
    for (;;) {
        Step* step = line->top;
        line->core().remove(*line);
        if (step != nullptr && step->kind == StepKind::parallel) {
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
        branchClosed(branch);
        line = branch.host->line;
    }
}

}  // namespace steptree::detail
