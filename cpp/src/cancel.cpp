#include "cold.hpp"
#include "engine.hpp"

/// Cancelling a whole flow: now, when its code has left the native stack, or when the closing has
/// ended in whose cancel handler it was asked for.
namespace steptree::detail {

namespace {

void wait(Flow& flow) noexcept {
    EngineShare& share = flow.share();
    flow.bits |= kPending;
    flow.cold->cancelNext = nullptr;
    (share.cancelFirst == nullptr ? share.cancelFirst : share.cancelLast->cold->cancelNext) = &flow;
    share.cancelLast = &flow;
}

Flow* nextWaiting(EngineShare& share) noexcept {
    Flow* flow = share.cancelFirst;
    if (flow != nullptr) {
        share.cancelFirst = flow->cold->cancelNext;
        flow->bits &= static_cast<std::uint8_t>(~kPending);
    }
    return flow;
}

}  // namespace

Closing::~Closing() {
    EngineShare& share = flow_.share();
    if (share.cancelFirst == nullptr || share.cancelHandlers != 0 || share.draining) return;
    if (flow_.cancelled()) return;  // the closing goes on as a cancel of the whole flow
    share.draining = true;
    while (Flow* flow = nextWaiting(share)) {
        if (flow->onStack == 0) cancelFlow(*flow);
    }
    share.draining = false;
}

void requestCancel(Flow& flow, std::string_view reason) noexcept {
    if (!flow.running) {
        dropQueued(flow, flow.first);
        flow.count = 0;
        flow.arena.reset(*flow.tool, Arena::kStart);
        return;
    }
    if (flow.cancelled()) return;
    try {
        coldOf(flow).reason = reason;
    } catch (...) {
        if (flow.cold == nullptr) return;  // short of memory for a cancel with reason
    }
    flow.bits |= kCancelLatch;
    if (flow.onStack == 0) cancelNowOrLater(flow);
}

void cancelNowOrLater(Flow& flow) noexcept {
    if ((flow.bits & kPending) != 0) return;
    if (flow.share().cancelHandlers != 0) {
        wait(flow);
    } else {
        cancelFlow(flow);
    }
}

void cancelFlow(Flow& flow) noexcept {
    const Scope scope(flow);
    const Closing closing(flow);
    flow.bits |= kCancelling;
    cancelInside(flow, nullptr, nullptr);
    dropQueued(flow, flow.first);
    finish(flow, OutcomeKind::cancelled, {});
}

}  // namespace steptree::detail
