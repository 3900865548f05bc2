#include "steptree/signal.hpp"

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

namespace {

/// The one that it has made last.
SignalExtra* lastSignal(const Step& step) noexcept {
    return static_cast<SignalExtra*>(findExtra(step, Extra::signal));
}

}  // namespace

/// [signal-13] [signal-22]
void Step::giveSignal(GivenSignal& into) {
    checkThread(line->core(), "signal");
    const bool isValid = listens(*this);
    SignalExtra* known = lastSignal(*this);
    if (known == nullptr || (isValid && known->left)) {
        if (!isValid && phase != Phase::cancel) invalid(*this, "signal");
        known = &newExtra<SignalExtra>(*this, Extra::signal);
        link(*this, *known);
        if (!isValid) leaveSignal(*this);
    }
    into.token = known->source.get_token();
}

void leaveSignal(Step& step) noexcept {
    SignalExtra* const extra = lastSignal(step);
    if (extra == nullptr || std::exchange(extra->left, true) || extra->forgotten) return;
    step.phase = Phase::cancel;
    std::stop_source(extra->source).request_stop();  // the flow may go
}

}  // namespace steptree::detail
