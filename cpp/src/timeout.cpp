#include "closing.hpp"
#include "completion.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "onstack.hpp"
#include "report.hpp"
#include "stopping.hpp"
#include "timer.hpp"
#include "unwind.hpp"
#include "waiting.hpp"

/// Everything inside a step is closed before the step hears of its timeout.
namespace steptree::detail {

namespace {

void timeOut(Step& step, std::string_view code) noexcept {
    if (!claimedRemotely(step)) failInTime(step, code);
}

/// The grace is over: the deferred function that runs is closed as it is.
void cleansTooLong(Shelter& shelter) noexcept {
    Step& step = *shelter.step;
    Line& line = *step.line;
    const OnStack onStack(*line.flow);
    const ClosingScope closing(*line.flow);
    const ErrorRef late = raisedBy(*shelter.running, errors::Timeout, {});
    closeInside(line, &step, late, CloseMode::abandon);
    line.core().enqueue(line);
    report(*line.flow, late);
}

}  // namespace

void failInTime(Step& step, std::string_view code) noexcept {
    const OnStack onStack(*step.line->flow);
    disarmStep(step);                                     // it may be another one: a shield has two
    step.flags &= static_cast<std::uint16_t>(~kResumes);  // its coroutine can't catch it
    ErrorRef error = raisedBy(step, code, {});
    noteWaits(step, *error.get());
    failStep(step, std::move(error));
}

void fireTimeout(TimerNode* node) noexcept {
    Step& step = *static_cast<TimerExtra*>(node)->step;
    timeOut(step, timeoutCode(step));
}

/// By what the frame does now.
void fireShelter(TimerNode* node) noexcept {
    Shelter& shelter = *static_cast<Shelter*>(node);
    if (shelter.state == Shelter::State::stops) return stopsTooLong(shelter);
    if (shelter.cleans()) return cleansTooLong(shelter);
    timeOut(*shelter.step, errors::Timeout);
}

}  // namespace steptree::detail
