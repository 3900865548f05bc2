#include "cleanup.hpp"
#include "steptree/detail/duration.hpp"

/// The timeout of a step.
namespace steptree::detail {

namespace {

[[gnu::always_inline]] inline void armHere(Line& line, Deadline& deadline,
                                           std::int64_t ms) noexcept {
    ToolCore& core = line.core();
    if (line.deadline == &deadline) line.deadline = deadline.outer;
    if (ms == kForever) return core.disarm(deadline);
    if (line.deadline == nullptr || ms < core.leftLately(*line.deadline)) {
        deadline.outer = std::exchange(line.deadline, &deadline);
    }
    core.arm(deadline, ms);
}

}  // namespace

void armDeadline(Line& line, Deadline& deadline, std::int64_t ms) noexcept {
    armHere(line, deadline, ms);
}

void timeOut(Step& step) noexcept {
    Line& line = *step.line;
    Flow& flow = *line.flow;
    if (claimedAway(step)) return;
    const Scope scope(flow);
    const Closing closing(flow);
    const ErrorRef error = makeError(step, errors::Timeout, {});
    if (!closeInside(line, &step, error) || cancelled(line)) return;
    if (Line* recovered = unwind(line, error)) recovered->core().enqueue(*recovered);
}

namespace {

void fireTimeout(TimerNode* node) noexcept {
    timeOut(*static_cast<TimerExtra*>(node)->step);
}

[[gnu::noinline]] void arm(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept) {
    auto* timer = static_cast<TimerExtra*>(findExtra(step, Extra::timer));
    if (timer == nullptr) {
        timer = &newExtra<TimerExtra>(step, Extra::timer);
        timer->fire = fire;
        timer->step = &step;
        link(step, *timer);
    }
    armHere(*step.line, *timer, ms);
}

void endDelay(TimerNode* node) noexcept {
    claimOk(*static_cast<TimerExtra*>(node)->step);
}

}  // namespace

void refuseDelay(const char* call, std::int64_t ms) {
    misuse(call + (": expected at least 0 ms, got " +
                   (ms == kNoDuration ? std::string("no number") : std::to_string(ms))));
}

void armStep(Step& step, std::int64_t ms) {
    arm(step, ms, &fireTimeout);
}

bool startDelay(Line& line, Step& step) noexcept {
    try {
        arm(step, step.turn, &endDelay);
        step.phase = Phase::waiting;
        return false;
    } catch (...) {
        return goOn(line, unwind(line, toRecord(std::current_exception(), step)));
    }
}

void disarmStep(Step& step) noexcept {
    if (Extra* timer = findExtra(step, Extra::timer)) {
        disarmDeadline(*step.line, static_cast<TimerExtra&>(*timer));
    }
    if ((step.flags & kShelters) == 0) return;
    Shelter& shelter = shelterOf(step);
    if (!shelter.cleans()) disarmDeadline(*step.line, shelter);
}

}  // namespace steptree::detail
