#include "flow.hpp"

#include <memory>
#include <new>

#include "cancel.hpp"
#include "end.hpp"
#include "fixed.hpp"
#include "flowextras.hpp"
#include "latch.hpp"
#include "misuse.hpp"
#include "observe.hpp"
#include "onstack.hpp"
#include "outliving.hpp"
#include "steptree/asyncsteps.hpp"

/// The life of a flow: made, idle, running, idle again, gone.
namespace steptree::detail {

Flow& makeFlow(ToolCore& core, const Flow* like) {
    const bool foreign = !core.onOwnThread();
    void* memory = foreign ? ::operator new(Flow::kSize) : core.blocks.take(BlockPool::kFlow);
    Flow& flow = *::new (memory) Flow(core, foreign ? kForeign : FlowBit{});
    if (foreign) {
        core.retain();
    } else {
        core.flowBorn();
    }
    if (like == nullptr || like->flowExtras() == nullptr || like->flowExtras()->options == nullptr)
        return flow;
    try {
        flowExtrasOf(flow).options = like->flowExtras()->options;
    } catch (...) {
        destroyFlow(flow);
        throw;
    }
    return flow;
}

std::unique_ptr<IFlow> instanceOf(const Flow& like) {
    Flow& flow = makeFlow(*like.tool, &like);
    try {
        return std::make_unique<AsyncSteps>(flow);
    } catch (...) {
        destroyFlow(flow);
        throw;
    }
}

void checkFlowOptions(const Options& options) {
    if (options.burst == 0) misuse("burst: expected at least 1, got 0");
    if (options.grace.count() >= 0) return;
    misuse("grace: expected at least 0 ms, got " + std::to_string(options.grace.count()));
}

FlowExtras& flowExtrasOf(Flow& flow) {
    if (flow.flowExtras() == nullptr) {
        auto* extras = new FlowExtras(flow);
        if (FixedParts* fixed = flow.fixed()) {
            fixed->extras = extras;
        } else {
            extras->ends = endsOf(flow);
            flow.setRest(reinterpret_cast<std::uintptr_t>(extras));
        }
    }
    return *flow.flowExtras();
}

namespace {

void dropCanceller(Flow& flow) noexcept {
    if ((flow.bits & kCanceller) == 0) return;
    flow.bits &= ~kCanceller;
    flow.flowExtras()->stopCallback.reset();
    Slot* slot = std::exchange(flow.flowExtras()->cancelSlot, nullptr);
    static_cast<void>(flow.tool->slots.release(slot));  // nobody brings it anything
}

void freeFlow(Flow& flow) noexcept {
    ToolCore& core = *flow.tool;
    if ((flow.bits & kSettles) != 0) {
        flow.bits |= kLeft;
        return;
    }
    const bool foreign = (flow.bits & kForeign) != 0;
    flow.clearArena();
    flow.~Flow();
    if (foreign) {
        ::operator delete(static_cast<void*>(&flow));
        core.release();
    } else {
        core.blocks.give(&flow, BlockPool::kFlow);
        core.flowGone();
    }
}

/// A flow may hold the next one in its queued steps, its state or its `done`. So many of a chain
/// are destroyed one inside the other, as objects that hold each other are; what the last of them
/// holds waits until that one is empty.
constexpr unsigned kNested = 32;
thread_local unsigned nested = 0;
thread_local Live* held = nullptr;

void destroyContents(Flow& flow) noexcept {
    dropQueued(flow, flow.first);
    dropEnds(flow);
    dropCanceller(flow);
    if (staysBehind(flow)) return;
    if (flow.flowExtras() != nullptr) dropRemains(flow.flowExtras()->remains);
    delete flow.flowExtras();
    freeFlow(flow);
}

}  // namespace

void finish(Flow& flow, OutcomeKind kind, ErrorRef error) noexcept {
    clearMarks(flow);
    Results values;
    if (flow.values != nullptr) {
        if ((flow.bits & kTold) != 0) values = std::move(*flow.values);
        flow.dropValues();
    }
    if ((flow.bits & (kCanceller | kObserved)) != 0) [[unlikely]] {
        if (isObserved(flow)) tellEnded(flow, kind, error.get());
        dropCanceller(flow);
    }
    flow.tool->remove(flow);
    if (flow.live()) LiveFlows::remove(flow);  // else its launch has not arrived
    flow.clearArena();
    flow.bits &= ~(kCancelLatch | kCancelling | kObserved | kSeen);
    flow.running.store(false, std::memory_order_relaxed);
    if (kind != OutcomeKind::ok || (flow.bits & kTold) != 0) {
        tellEnd(flow, kind, std::move(error), std::move(values));
    }
    if ((flow.bits & kAwaited) != 0) tellClosed(flow);
}

void leaveFlow(Flow& flow) noexcept {
    if (flow.running && flow.cancelled()) {
        cancelNowOrLater(flow);  // frees an orphan
    } else if ((flow.bits & (kOrphan | kOwned)) != 0 && !flow.running &&
               (flow.bits & kLaunching) == 0) {
        leaveOwned(flow);
    }
}

void leaveOwned(Flow& flow) noexcept {
    if (flow.bits == kOwned) {
        flow.bits = 0;
        flow.run = &turn;
        if (keepFlow(flow)) return;
        flow.bits = kOwned;
    }
    // one that is to settle its promise has no end but that, and stays for it
    if ((flow.bits & (kSettles | kOrphan)) != kSettles || flow.rare != 0) destroyFlow(flow);
}

void leaveRun(Flow& flow) noexcept {
    flow.bits &= ~kSettles;
    if ((flow.bits & kLeft) != 0) return freeFlow(flow);
    leaveOwned(flow);
}

void abandon(Flow& flow) noexcept {
    flow.bits = (flow.bits | kOrphan) & ~kOwned;
    requestCancel(flow, {});
}

/// The marker goes from flow to flow: whatever ends meanwhile, it stands behind those that were
/// looked at.
void EngineShare::destroyOwned() noexcept {
    LiveFlows& flows = core.flowsLive;
    Live marker;
    flows.putFirst(marker);
    while (Live* const live = flows.next(marker)) {
        LiveFlows::moveBehind(marker, *live);
        Flow& flow = static_cast<Flow&>(*live);
        if ((flow.bits & kOwned) == 0) continue;
        const OnStack onStack(flow);
        abandon(flow);
    }
    LiveFlows::remove(marker);
}

void destroyFixed(Flow& flow) noexcept {
    ToolCore& core = *flow.tool;
    Fixed& fixed = *fixedOf(flow);
    const bool foreign = (flow.bits & kForeign) != 0;
    const std::uint32_t slots = fixed.plan().slots;
    dropQueued(flow, flow.first);
    dropEnds(flow);
    dropCanceller(flow);
    delete flow.flowExtras();
    fixed.~Fixed();
    flow.~Flow();
    if (foreign) {
        core.release();
    } else {
        core.slots.unreserve(slots);
        core.flowGone();
    }
}

void destroyFlow(Flow& flow) noexcept {
    if (nested == kNested) {
        flow.before = std::exchange(held, &flow);
        return;
    }
    ++nested;
    destroyContents(flow);
    while (nested == kNested && held != nullptr) {
        Flow& next = static_cast<Flow&>(*held);
        held = std::exchange(next.before, nullptr);
        destroyContents(next);
    }
    --nested;
}

}  // namespace steptree::detail
