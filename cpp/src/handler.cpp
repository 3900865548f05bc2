#include "handler.hpp"

#include "cleanup.hpp"
#include "enter.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "fast.hpp"
#include "frame.hpp"
#include "latch.hpp"
#include "scope.hpp"
#include "timer.hpp"
#include "view.hpp"

/// Handlers: called at most once for each run of a step, with the error in view.
namespace steptree::detail {

namespace {

/// Whether the handler has called success(), and nothing else that counts.
inline bool isRecovered(const Line& line, const Step& step) noexcept {
    return line.marks == kSuccess && step.next == nullptr && step.extras == nullptr;
}

/// What the handler has left, by the table of error.md. `error` becomes the one that goes on.
Left look(Line& line, Step& step, ErrorRef& error) noexcept {
    const std::uint32_t marks = line.marks;
    if ((marks & kControl) != 0) return Left::control;
    ErrorRef made;
    const char* mistake = nullptr;
    if ((marks & kError) != 0) {
        made = takeError(line);
    } else if ((marks & kSuccessAgain) != 0) {
        mistake = "success was called twice";
    } else if ((marks & kSuccess) != 0 && step.next != nullptr) {
        mistake = "success and inner steps";
    } else if (step.next != nullptr) {
        return Left::steps;
    } else if ((marks & kSuccess) != 0) {
        return Left::ok;
    } else if ((marks & kAwaitable) != 0) {
        mistake = "a handler can't return an awaitable: add a step that awaits it";
    } else {
        return Left::error;
    }
    if (mistake != nullptr) made = raisedBy(step, errors::InternalError, mistake);
    if (made.get() != error.get()) replaces(*made.get(), *error.get());
    error = std::move(made);
    return Left::error;
}

/// Goes on after a handler.
[[gnu::noinline]] Left verdict(Line& line, Step& step, ErrorRef& error) noexcept {
    constexpr std::uint32_t kSays = kLatched | kAwaitable;
    const bool said = (line.marks & kSays) != 0;
    const Left left = look(line, step, error);
    if (cancelled(line)) return Left::nothing;
    if (left == Left::steps) {
        clearMarks(line);
        step.phase = Phase::inner;
        return left;
    }
    if (step.extras != nullptr) {
        disarmStep(step);
        // What the handler has set in vain: it has left nothing, or ended well.
        auto* const cancel = static_cast<CancelExtra*>(findExtra(step, Extra::cancel));
        const bool inVain = left == Left::ok || (left == Left::error && !said);
        if (cancel != nullptr && inVain) forgetCancel(step, *cancel);
    }
    if (left == Left::ok) {
        clearMarks(line);
        return left;
    }
    if (step.next != nullptr) dropQueued(*line.flow, step.next);
    leaveSignal(step);
    if (cancelled(line)) return Left::nothing;
    step.phase = Phase::cancel;
    callCancelHandler(line, step, left == Left::error ? error.get() : nullptr);
    if (cancelled(line)) return Left::nothing;
    if (left == Left::control) return left;
    clearMarks(line);
    line.clearValues();
    return left;
}

}  // namespace

Left handle(Line& line, Step& step, ErrorRef& error) noexcept {
    step.flags |= kHandlerGone;
    step.phase = Phase::handler;
    if ((step.flags & kShelters) != 0) [[unlikely]]
        armDeadline(line, shelterOf(step), shelterOf(step).limit);  // anew: it is an open shield
    HandlerPart& handler = handlerOf(step);
    CallArgs args;
    args.code = &error->code;
    const auto callHandler = [&] {
        const View view(*line.flow, error.get());
        const ImmediateCancelScope aside(line.share());
        return enter(step, *handler.ops, &handler + 1, args);
    };
    if (callHandler() != Entered::on) return Left::nothing;
    return kBareRecovery && isRecovered(line, step) ? Left::ok : verdict(line, step, error);
}

}  // namespace steptree::detail
