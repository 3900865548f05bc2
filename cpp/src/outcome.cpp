#include "outcome.hpp"

#include "closing.hpp"
#include "error.hpp"
#include "flowextras.hpp"

/// The outcome of a step is made for who wants to know it, and belongs to nobody else: errors are
/// shared, and values lent.
namespace steptree::detail {

namespace {

/// The closing that this line waits for, which is closed as a whole.
Why closingOf(Line& line) noexcept {
    if (!line.isBranch()) return {Why::cancelled};
    HostPart& whole = wholeOf(branchesOf(*static_cast<Branch&>(line).host));
    if (whole.note.stop() == nullptr) return {Why::cancelled};
    const Line& arrives = *stepOf(whole).line;
    return {Why::silent, (arrives.marks & kError) != 0 ? arrives.error : nullptr};
}

/// What has asked for it, and the error behind that.
std::exception_ptr behind(std::string& reason, const Flow& flow, Why why) {
    switch (why.how) {
        case Why::broken:
            reason = "break";
            return {};
        case Why::continued:
            reason = "continue";
            return {};
        case Why::silent:
            if (why.error == nullptr) return {};
            reason = why.error->code;
            return exceptionOf(*why.error);
        default:
            if (flow.flowExtras() != nullptr) reason = flow.flowExtras()->reason;
            return {};
    }
}

void fill(Outcome& outcome, const Flow& flow, Why why) {
    if (why.how == Why::failed) {
        outcome.code = why.error->code;
        outcome.error = exceptionOf(*why.error);
        return;
    }
    outcome.code = errors::Canceled;
    std::exception_ptr cause = behind(outcome.reason, flow, why);
    outcome.error =
        std::make_exception_ptr(StepError(errors::Canceled, outcome.reason, std::move(cause)));
}

}  // namespace

Why closingOf(Line& line, Step* stop, ErrorData* error) noexcept {
    return stop != nullptr ? Why{Why::silent, error} : closingOf(line);
}

Why whyOf(Line& line, const Unwinding& unwinding) noexcept {
    switch (unwinding.kind) {
        case Unwinding::silent:
            return closingOf(line, unwinding.stop, unwinding.error.get());
        case Unwinding::control:
            return {unwinding.isBreak ? Why::broken : Why::continued};
        case Unwinding::loud:
            return {Why::failed, unwinding.error.get()};
        case Unwinding::ok:
            break;
    }
    return {};
}

/// A flow that nobody waits for takes along what was noted before.
Why whyOf(Line& line, const Shelter& cleanup) noexcept {
    const Flow& flow = *line.flow;
    if ((flow.bits & kOrphan) != 0 || !flow.tool->alive()) return {Why::cancelled};
    if (cleanup.noted) return closingOf(line, cleanup.stop, cleanup.error);
    switch (cleanup.state) {
        case Shelter::State::ok:
            return {};
        case Shelter::State::failed:
            return {Why::failed, cleanup.failure};
        case Shelter::State::controlled:
            return {cleanup.isBreak ? Why::broken : Why::continued};
        default:
            return {Why::cancelled};
    }
}

/// Short of memory it is told with what there is place for: the kind always.
Results* tellOutcome(Outcome& into, Flow& flow, Why why, Results* values) noexcept {
    if (why.how == Why::ok) {
        if (values == nullptr || values->empty()) return nullptr;
        into.values = std::move(*values);
        return values;
    }
    into.kind = why.how == Why::failed ? OutcomeKind::error : OutcomeKind::cancelled;
    try {
        fill(into, flow, why);
    } catch (...) {
        into.error = std::current_exception();
    }
    return nullptr;
}

Results* Step::lendOutcome(Outcome& into) noexcept {
    Shelter& cleanup = shelterOf(*parent);
    return tellOutcome(into, *line->flow, whyOf(*line, cleanup), &cleanup.values);
}

}  // namespace steptree::detail
