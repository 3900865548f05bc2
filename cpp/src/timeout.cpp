#include "closing.hpp"
#include "completion.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "onstack.hpp"
#include "report.hpp"
#include "stopping.hpp"
#include "timer.hpp"
#include "unwind.hpp"
#include "waiters.hpp"
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

namespace {

void failBy(Step& step, ErrorRef error) noexcept {
    noteWaits(step, *error.get());
    failStep(step, std::move(error));
}

void endInTime(Step& step) noexcept {
    disarmStep(step);                                     // it may be another one: a shield has two
    step.flags &= static_cast<std::uint16_t>(~kResumes);  // its coroutine can't catch it
}

}  // namespace

void failInTime(Step& step, std::string_view code) noexcept {
    const OnStack onStack(*step.line->flow);
    endInTime(step);
    failBy(step, raisedBy(step, code, {}));
}

void failInTime(Step& step, std::string_view code, const char* kind, const std::string& name,
                const char* why) noexcept {
    try {
        const OnStack onStack(*step.line->flow);
        ErrorRef error = refusal(step, kind, name, why, code);
        endInTime(step);
        failBy(step, std::move(error));
    } catch (...) {
        failInTime(step, code);  // no memory for the text
    }
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
