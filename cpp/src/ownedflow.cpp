#include "ownedflow.hpp"

#include <utility>

#include "adder.hpp"
#include "end.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "onstack.hpp"

/// Flows that nobody but their tool owns, from being made to being left to it.
namespace steptree::detail {

void DestroyFlow::operator()(Flow* flow) const noexcept {
    destroyFlow(*flow);
}

OwnedFlow makeOwned(ToolCore& core, const Definition& step, StartOptions& options) {
    if (options.options) checkFlowOptions(*options.options);
    OwnedFlow flow(&makeFlow(core, nullptr));
    if (options.options) {
        flowExtrasOf(*flow).options = std::move(options.options);
    }
    addDefined(*flow, step);
    return flow;
}

void release(OwnedFlow& owned, StartOptions& options) {
    Flow& flow = *owned;
    IFlow::Done* const done = options.done ? &options.done : nullptr;
    flow.bits |= kOwned;
    try {
        if (options.signal.stop_possible()) {
            startFlowUntil(flow, done, true, std::move(options.signal));
        } else {
            startFlow(flow, done, true);
        }
    } catch (...) {
        flow.bits &= ~kOwned;
        throw;
    }
    static_cast<void>(owned.release());
}

void startOwned(ToolCore& core, const Definition& step, StartOptions options) {
    OwnedFlow owned = makeOwned(core, step, options);
    if (!core.onOwnThread()) return release(owned, options);
    const OnStack onStack(*owned);
    release(owned, options);
}

namespace {

inline void begin(Flow& flow, std::uint32_t bits, void (*run)(RunNode*) noexcept) noexcept {
    flow.bits = bits;
    flow.run = run;
    flow.running.store(true, std::memory_order_relaxed);
    flow.tool->flowsLive.add(flow);
    flow.tool->enqueueNew(flow);
}

}  // namespace

void startOwned(ToolCore& core, const Definition& step) {
    const bool isLone = kOwnedTurn && kBareParts && step.bare;
    Flow* const flow = isLone ? keptFlow(core) : nullptr;
    if (flow == nullptr) return startOwned(core, step, StartOptions{});
    flow->first = &makeCounted(*flow, nullptr, step);
    begin(*flow, kOwned, &ownedTurn<kOwned>);
}

void* runOwned(ToolCore& core, const Definition& step, const RunOps& ops) {
    if (!core.onOwnThread()) return nullptr;
    Flow* kept = keptFlow(core);
    Flow& flow = kept != nullptr ? *kept : makeFlow(core, nullptr);
    RunEnd& end = *::new (flow.arena.take(sizeof(RunEnd))) RunEnd{&ops};
    if (kOwnedTurn && isBodyFor(step, flow)) {
        flow.first = &makeCounted(flow, nullptr, step);
        begin(flow, kRuns, &ownedTurn<kRuns>);
        return &end.promise;
    }
    try {
        addCounted(flow, step);
    } catch (...) {
        destroyFlow(flow);
        throw;
    }
    begin(flow, kRuns, &turn);
    return &end.promise;
}

}  // namespace steptree::detail
