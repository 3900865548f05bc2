#include <stop_token>
#include <utility>

#include "cancel.hpp"
#include "completion.hpp"
#include "extras.hpp"
#include "flowextras.hpp"
#include "frame.hpp"

/// Stop tokens, in both directions: one that ends a flow, and those that steps give to what they
/// start.
namespace steptree::detail {

/// What a flow listens to, from its start to its end. On another thread than the tool's a stop is
/// an order of a canceller.
void StopCallback::operator()() const noexcept {
    if (flow->tool->onOwnThread() && *hears) return requestCancel(*flow, {});  // may destroy this
    canceller.cancel();
}

void prepareSignal(Flow& flow) {
    FlowExtras& extras = flowExtrasOf(flow);
    if (extras.cancelSlot == nullptr) extras.cancelSlot = flow.tool->slots.acquire(&flow);
    flow.bits |= kCanceller;
}

void cancelOnStop(Flow& flow, std::stop_token signal) noexcept {
    FlowExtras& extras = *flow.flowExtras();
    extras.hears = false;  // a stop that comes while this goes on is one of another thread
    extras.stopCallback.emplace(
        std::move(signal),
        StopCallback{&flow, &extras.hears, {*extras.cancelSlot, extras.cancelSlot->generation()}});
    extras.hears = true;
}

std::stop_token Step::signal() {
    checkCall(*this, "signal");
    auto* known = static_cast<SignalExtra*>(findExtra(*this, Extra::signal));
    if (known == nullptr) {
        known = &newExtra<SignalExtra>(*this, Extra::signal);
        link(*this, *known);
    }
    return known->source.get_token();
}

void leaveSignal(Step& step) noexcept {
    auto* extra = static_cast<SignalExtra*>(findExtra(step, Extra::signal));
    if (extra == nullptr || extra->forgotten) return;
    step.phase = Phase::cancel;
    extra->live = false;
    const std::stop_source source = std::move(extra->source);
    extra->source.~stop_source();
    source.request_stop();
}

}  // namespace steptree::detail
