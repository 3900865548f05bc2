#include "cleanup.hpp"

#include "closing.hpp"
#include "completion.hpp"
#include "enter.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "flowextras.hpp"
#include "frame.hpp"
#include "latch.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "report.hpp"
#include "run.hpp"
#include "steptree/detail/duration.hpp"
#include "timer.hpp"

/// Shielded frames: open shields, and steps whose deferred functions run.
///
///     body, level -> outcome known: beginCleanup() -> deferred functions -> leaveShelter() -> left
///
/// All that a cleanup needs is made when defer() is called; to begin it takes no memory. The
/// functions are the level of their step then, and kCloses among the marks of its body keeps it
/// from being left in passing.
namespace steptree::detail {

namespace {

void restoreValues(Line& line, Results& values) noexcept {
    line.clearValues();
    if (!values.empty()) *line.values = std::move(values);  // they have come from there
}

/// Whether a body that was called has left something that takes time.
bool goesOn(const Line& line, const Step& step) noexcept {
    if (step.next != nullptr || (line.marks & kAwaitable) != 0) return true;
    if ((step.flags & kResumes) != 0) return true;
    return (line.marks & (kWait | kExternal)) != 0 && (line.marks & kSuccess) == 0;
}

/// How the step goes on that its cleanup has put aside.
Unwinding unwindingOf(Shelter& made) noexcept {
    if (made.state == Shelter::State::failed) {
        return {Unwinding::loud, nullptr, ErrorRef(std::exchange(made.failure, nullptr))};
    }
    Unwinding unwinding{Unwinding::control,
                        made.state == Shelter::State::controlled ? made.target : nullptr};
    unwinding.isBreak = made.isBreak;
    return unwinding;
}

}  // namespace

Shelter::Shelter() noexcept {
    type = Extra::shelter;
    fire = &fireShelter;
}

std::int64_t graceOf(const Flow& flow) noexcept {
    const FlowExtras* const extras = flow.flowExtras();
    if (extras == nullptr || extras->options == nullptr) return Options::kGrace.count();
    return wholeMilliseconds(extras->options->grace);
}

void shelter(Line& line, Step& step, Shelter& made) noexcept {
    made.hidden = deadlineOf(line);
    setDeadline(line, nullptr);
    made.nested = (line.bits & kSheltered) != 0;
    line.bits |= kSheltered;
    step.flags |= kShelters;
}

Shelter& makeShelter(Step& step) {
    if (auto* known = static_cast<Shelter*>(findExtra(step, Extra::shelter))) return *known;
    auto& made = newExtra<Shelter>(step, Extra::shelter);
    made.step = &step;
    link(step, made);
    return made;
}

void armGrace(Line& line, Shelter& made) noexcept {
    armDeadline(line, made, graceOf(*line.flow));
}

Shelter& beginCleanup(Line& line, Step& step, Shelter::State how) noexcept {
    Shelter& made = shelterOf(step);
    disarmStep(step);
    clearMarks(line);
    forgetUndo(step);
    if ((step.flags & kShelters) == 0) shelter(line, step, made);
    step.flags &= static_cast<std::uint16_t>(~kDefers);
    step.phase = Phase::inner;
    step.next = std::exchange(made.deferred, nullptr);
    made.state = how;
    return made;
}

void endsWell(Line& line, Step& step) noexcept {
    releaseSlot(line);
    Shelter& made = beginCleanup(line, step, Shelter::State::ok);
    if (line.hasValues()) made.values = std::move(*line.values);
}

bool callDeferred(Line& line, Step& owner) noexcept {
    Step* const step = owner.next;
    if (step == nullptr || !isDeferred(*step)) return false;
    openNext(line, owner.next, *step);
    line.clearValues();
    giveBody(line, *step);
    if (isObserved(*line.flow)) {
        callObserved(line, *step);
    } else {
        enterBody(*step, closureOf(*step), nullptr);
    }
    return true;
}

ErrorRef leftBy(Line& line, Step& step) noexcept {
    if ((step.flags & kHandlerGone) != 0) return {};
    step.flags |= kHandlerGone;  // of which it has none
    if ((line.marks & kError) != 0) return takeError(line);
    const bool over =
        step.phase == Phase::body ? !goesOn(line, step) : step.phase == Phase::claimed;
    return over ? ErrorRef() : raisedBy(step, errors::Timeout, {});
}

void failCleanup(Line& line, Step& step, ErrorRef error) noexcept {
    Shelter& made = shelterOf(step);
    line.marks = 0;
    if (const auto exit = kindOf(step).exit) exit(line, step);
    ErrorData* const waiting = made.noted ? noted(line, made) : nullptr;
    const bool latched = line.flow->cancelled() && !made.nested;
    if (latched || (made.noted && waiting == nullptr)) return report(*line.flow, error);
    if (made.state == Shelter::State::failed) return addAlso(*made.failure, std::move(error));
    if (waiting != nullptr) return addAlso(*waiting, std::move(error));
    made.state = Shelter::State::failed;
    made.late = true;
    made.failure = error.detach();
}

bool endCleanup(Line& line, Step& step, Unwinding& unwinding) noexcept {
    Shelter& made = shelterOf(step);
    unshelter(line, step);
    const bool isOk = made.state == Shelter::State::ok;
    const bool goesOn = isOk && !made.noted;
    unwinding = unwindingOf(made);
    if (goesOn) {
        restoreValues(line, made.values);
    } else {
        line.clearValues();
    }
    if (made.noted) {
        unwinding = takeNote(line, made, std::move(unwinding.error));
    } else if (made.late && cancelled(line)) {
        report(*line.flow, unwinding.error);
    }
    if (goesOn) unwinding.kind = Unwinding::ok;
    line.marks = isOk ? kSuccess : 0;  // what pop() destroys reads it: a channel's wait
    popAs(line, step, [&] { return whyOf(line, unwinding); });
    line.marks = 0;
    return goesOn;
}

Answer leaveShelter(Line& line, Step& step) noexcept {
    if (!shelterOf(step).cleans() || (step.flags & kDefers) != 0) {
        endsWell(line, step);
        return Answer::again;
    }
    const ClosingScope closing(*line.flow);
    Unwinding unwinding;
    const bool goesOn = endCleanup(line, step, unwinding);
    ClosingScope::noteOutlived(line);
    if (cancelled(line)) return Answer::pending;
    return goesOn ? Answer::again : goOutwards(line, std::move(unwinding));
}

void unshelter(Line& line, Step& step) noexcept {
    if ((step.flags & kShelters) == 0) return;
    Shelter& made = shelterOf(step);
    disarmDeadline(line, made);
    setDeadline(line, made.hidden);
    if (!made.nested) line.bits &= ~std::uint32_t{kSheltered};
    step.flags &= static_cast<std::uint16_t>(~kShelters);
}

void destroyShelter(Shelter& made) noexcept {
    Flow& flow = *made.step->line->flow;
    flow.tool->disarm(made);
    if (made.asked.linked()) List<RunNode>::unlink(made.asked);
    dropQueued(flow, made.deferred);
    ErrorRef(std::exchange(made.error, nullptr));
    if (made.hasFailure()) ErrorRef(std::exchange(made.failure, nullptr));
    made.~Shelter();
}

std::int64_t Step::remaining() const {
    checkCall(*this, "remaining");
    const Deadline* const deadline = deadlineOf(*line);
    return deadline != nullptr ? line->core().left(*deadline) : kForever;
}

}  // namespace steptree::detail
