#include "engine.hpp"
#include "extras.hpp"
#include "steptree/detail/duration.hpp"

/// The timeout of a step.
namespace steptree::detail {

namespace {

void fireTimeout(TimerNode* node) noexcept {
    Step& step = *static_cast<TimerExtra*>(node)->step;
    Line& line = *step.line;
    Flow& flow = *line.flow;
    if (claimedAway(step)) return;
    const Scope scope(flow);
    const Closing closing(flow);
    const ErrorRef error = makeError(step, errors::Timeout, {});
    cancelInside(line, &step, error.get());
    if (flow.cancelled()) return;
    if (Line* recovered = unwind(line, error)) recovered->core().enqueue(*recovered);
}

[[gnu::noinline]] void arm(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept) {
    auto* timer = static_cast<TimerExtra*>(findExtra(step, Extra::timer));
    if (timer == nullptr) {
        timer = &newExtra<TimerExtra>(step, Extra::timer);
        timer->fire = fire;
        timer->step = &step;
        link(step, *timer);
    }
    if (ms == kForever) {
        step.line->core().disarm(*timer);
    } else {
        step.line->core().arm(*timer, ms);
    }
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
        step.line->core().disarm(static_cast<TimerExtra&>(*timer));
    }
}

}  // namespace steptree::detail
