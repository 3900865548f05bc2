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

}  // namespace

void armStep(Step& step, std::int64_t ms) {
    auto* timer = static_cast<TimerExtra*>(findExtra(step, Extra::timer));
    if (timer == nullptr) {
        timer = &newExtra<TimerExtra>(step, Extra::timer);
        timer->fire = &fireTimeout;
        timer->step = &step;
        link(step, *timer);
    }
    if (ms == kForever) {
        step.line->core().disarm(*timer);
    } else {
        step.line->core().arm(*timer, ms);
    }
}

void disarmStep(Step& step) noexcept {
    if (Extra* timer = findExtra(step, Extra::timer)) {
        step.line->core().disarm(static_cast<TimerExtra&>(*timer));
    }
}

}  // namespace steptree::detail
