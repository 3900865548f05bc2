#include "cancel.hpp"

#include "awaited.hpp"
#include "closing.hpp"
#include "extras.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "onstack.hpp"
#include "timer.hpp"

/// Leaving a frame, and cancelling a whole flow: now, when its code has left the native stack, or
/// when the closing has ended in whose cancel handler it was asked for.
namespace steptree::detail {

/// A flow that is cancelled goes on closing; the last of nested ones performs what waits.
void ClosingScope::perform() noexcept {
    if (!flow_.cancelled() || share_.outlived) performCancels(share_);
}

void performCancels(EngineShare& share) noexcept {
    while (RunNode* node = share.cancels.pop()) {
        Flow& flow = node->run != nullptr ? *static_cast<Flow*>(node)
                                          : *static_cast<Shelter::Asked*>(node)->flow;
        flow.bits &= ~kPending;
        if (!flow.onStack()) cancelFlow(flow);
    }
}

void requestCancel(Flow& flow, std::string_view reason) noexcept {
    if (!flow.running.load(std::memory_order_relaxed)) {
        const OnStack onStack(flow);  // a step may own it
        dropQueued(flow, flow.first);
        flow.clearArena();
        return;
    }
    const std::uint32_t asked =
        (flow.bits & kOrphan) != 0 ? kCancelLatch : kCancelLatch | kCancelling;
    if ((flow.bits & asked) != 0) return;
    try {
        if ((flow.bits & kCancelling) != 0) {
            // has its reason, and may wait no more
        } else if (!reason.empty() || flow.flowExtras() != nullptr)
            flowExtrasOf(flow).reason = reason;
    } catch (...) {
        if (flow.flowExtras() != nullptr)
            flow.flowExtras()->reason.clear();  // short of memory: cancelled without
    }
    flow.bits |= kCancelLatch;
    if (!flow.onStack()) cancelNowOrLater(flow);
}

void cancelNowOrLater(Flow& flow) noexcept {
    if ((flow.bits & kPending) != 0) return;
    EngineShare& share = flow.share();
    if (share.closings == 0) return cancelFlow(flow);
    flow.bits |= kPending;
    if ((flow.bits & kSheltered) != 0) {
        Shelter::Asked& asked = shelterAround(flow).asked;
        asked.flow = &flow;
        share.cancels.push(asked);
        return;
    }
    flow.tool->remove(flow);
    share.cancels.push(flow);
}

void cancelFlow(Flow& flow, bool atOnce) noexcept {
    const OnStack onStack(flow);
    const ClosingScope closing(flow);
    flow.bits |= kCancelling;
    atOnce = atOnce || (flow.bits & kOrphan) != 0 || !flow.tool->alive();
    if (!closeInside(flow, nullptr, {}, atOnce ? CloseMode::atOnce : CloseMode::patient)) {
        flow.bits &= ~kCancelLatch;  // performed, as far as can be
        return;
    }
    finish(flow, OutcomeKind::cancelled, {});
}

}  // namespace steptree::detail
