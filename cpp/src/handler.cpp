#include "enter.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "fast.hpp"
#include "latch.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "timer.hpp"
#include "unwind.hpp"
#include "view.hpp"

/// Handlers: called at most once for each run of a step, with the error in view.
namespace steptree::detail {

namespace {

/// Whether the handler has called success(), and nothing else that counts.
inline bool isRecovered(const Line& line, const Step& step) noexcept {
    return line.marks == kSuccess && step.next == nullptr && step.extras == nullptr;
}

/// What the handler has left, by the table of error.md. Again: steps.
Answer look(Line& line, Step& step, Unwinding& unwinding) noexcept {
    const std::uint32_t marks = line.marks;
    if ((marks & kControl) != 0) {
        unwinding = controlOf(line);
        return Answer::ended;
    }
    ErrorRef made;
    const char* mistake = nullptr;
    if ((marks & kError) != 0) {
        made = takeError(line);
    } else if ((marks & kSuccessAgain) != 0) {
        mistake = "success was called twice";
    } else if ((marks & kSuccess) != 0 && step.next != nullptr) {
        mistake = "success and inner steps";
    } else if (step.next != nullptr) {
        return Answer::again;
    } else if ((marks & kSuccess) != 0) {
        unwinding.kind = Unwinding::ok;
        return Answer::ended;
    } else if ((marks & kAwaitable) != 0) {
        mistake = "a handler can't return an awaitable: add a step that awaits it";
    } else {
        return Answer::ended;
    }
    if (mistake != nullptr) made = raisedBy(step, errors::InternalError, mistake);
    if (made.get() != unwinding.error.get()) replaces(*made.get(), *unwinding.error.get());
    unwinding.error = std::move(made);
    return Answer::ended;
}

}  // namespace

Answer callHandler(Line& line, Step& step, Unwinding& unwinding) noexcept {
    ErrorData& error = *unwinding.error.get();
    step.flags |= kHandlerGone;
    step.phase = Phase::handler;
    if ((step.flags & kShelters) != 0) [[unlikely]]
        armDeadline(line, shelterOf(step), shelterOf(step).limit);  // anew: it is an open shield
    HandlerPart& handler = handlerOf(step);
    if (isObserved(*line.flow)) [[unlikely]]
        tellHandler(line, step, error);
    CallArgs args;
    args.code = &error.code;
    const auto call = [&] {
        const View view(*line.flow, &error);
        const ImmediateCancelScope aside(line.share());
        return enter(step, *handler.ops, &handler + 1, args);
    };
    if (call() != Entered::on) return Answer::pending;
    if (!kBareRecovery || !isRecovered(line, step)) return Answer::again;
    unwinding.kind = Unwinding::ok;
    return Answer::ended;
}

Answer afterHandler(Line& line, Step& step, Unwinding& unwinding) noexcept {
    constexpr std::uint32_t kSays = kLatched | kAwaitable;
    const bool said = (line.marks & kSays) != 0;
    const Answer left = look(line, step, unwinding);
    if (cancelled(line)) return Answer::pending;
    if (left == Answer::again) {
        clearMarks(line);
        step.phase = Phase::inner;
        return left;
    }
    const bool isOk = unwinding.kind == Unwinding::ok;
    if (step.extras != nullptr) {
        disarmStep(step);
        // What the handler has set in vain: it has left nothing, or ended well.
        auto* const cancel = static_cast<CancelExtra*>(findExtra(step, Extra::cancel));
        if (cancel != nullptr && (isOk || !said)) forgetCancel(step, *cancel);
    }
    clearMarks(line);
    if (isOk) return left;
    if (step.next != nullptr) dropQueued(*line.flow, step.next);
    leaveSignal(step);
    if (cancelled(line)) return Answer::pending;
    step.phase = Phase::cancel;
    callCancelHandler(line, step, unwinding.error.get());
    if (cancelled(line)) return Answer::pending;
    clearMarks(line);
    line.clearValues();
    return left;
}

}  // namespace steptree::detail
