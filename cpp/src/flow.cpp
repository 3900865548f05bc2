#include <new>

#include "cold.hpp"
#include "engine.hpp"

/// The life of a flow: made, idle, running, idle again, gone.
namespace steptree::detail {

Flow& makeFlow(ToolCore& core, const Flow* like) {
    const bool foreign = !core.onOwnThread();
    const std::size_t size = BlockPool::kSizes[0];
    void* memory = foreign ? ::operator new(size) : core.blocks.take(0);
    Flow& flow = *::new (memory) Flow(core, like != nullptr ? like->burst : 100, foreign);
    flow.arena.embed(flow.block, static_cast<char*>(memory) + size);
    if (foreign) {
        core.retain();
    } else {
        core.flowBorn();
    }
    if (like == nullptr || like->cold == nullptr || like->cold->options == nullptr) return flow;
    try {
        coldOf(flow).options = like->cold->options;
    } catch (...) {
        destroyFlow(flow);
        throw;
    }
    return flow;
}

Cold& coldOf(Flow& flow) {
    if (flow.cold == nullptr) flow.cold = new Cold(flow);
    return *flow.cold;
}

void finish(Flow& flow, OutcomeKind kind, ErrorRef error) noexcept {
    clearMarks(flow);
    Results values;
    if (!flow.results.empty()) {
        if ((flow.bits & kTold) != 0) values = std::move(flow.results);
        flow.results.clear();
    }
    flow.tool->remove(flow);
    flow.arena.reset(*flow.tool, Arena::kStart);
    flow.count = 0;
    flow.bits &= static_cast<std::uint8_t>(~(kCancelLatch | kCancelling));
    flow.running.store(false, std::memory_order_relaxed);
    if (kind == OutcomeKind::ok && (flow.bits & kTold) == 0) return;
    tellEnd(flow, kind, std::move(error), std::move(values));
}

void leaveFlow(Flow& flow) noexcept {
    if (flow.running && flow.cancelled()) {
        cancelNowOrLater(flow);  // frees an orphan
    } else if ((flow.bits & kOrphan) != 0 && !flow.running && (flow.bits & kLaunching) == 0) {
        destroyFlow(flow);
    }
}

void destroyFlow(Flow& flow) noexcept {
    ToolCore& core = *flow.tool;
    const bool foreign = (flow.bits & kForeign) != 0;
    if (flow.first != nullptr) dropQueued(flow, flow.first);
    if (flow.ends != nullptr) dropEnds(flow);
    flow.arena.reset(core, Arena::kStart);
    if (flow.cold != nullptr) {
        if (flow.cold->cancelSlot != nullptr) {
            static_cast<void>(
                core.releaseSlot(flow.cold->cancelSlot));  // no one brings it anything
        }
        delete flow.cold;
    }
    flow.~Flow();
    if (foreign) {
        ::operator delete(static_cast<void*>(&flow));
        core.release();
    } else {
        core.blocks.give(&flow, 0);
        core.flowGone();
    }
}

}  // namespace steptree::detail
