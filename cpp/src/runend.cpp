#include "runend.hpp"

#include <exception>
#include <new>

#include "end.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "outliving.hpp"
#include "steptree/detail/coreref.hpp"
#include "steptree/detail/startowned.hpp"

/// A flow that run() has started is the immediate that settles its promise: so that costs no
/// memory.
namespace steptree::detail {

namespace {

static_assert(sizeof(Flow) + sizeof(RunEnd) + sizeof(Outcome) <= Flow::kSize);

/// Where the steps were, but for those that are pinned.
void* placeOfOutcome(Flow& flow) noexcept {
    FlowExtras* const extras = flow.flowExtras();
    const bool pinned =
        extras != nullptr && extras->remains != nullptr && extras->remains->active != 0;
    return pinned ? static_cast<void*>(extras->remains->outcome) : &runEndOf(flow) + 1;
}

/// Takes what the flow was to tell.
RunEnd takeEnd(Flow& flow, Outcome& into) noexcept {
    const RunEnd end = runEndOf(flow);
    into = std::move(*end.outcome);
    end.outcome->~Outcome();
    leaveRun(flow);
    return end;
}

void settlePromise(RunNode* node) noexcept {
    Flow& flow = *static_cast<Flow*>(node);
    const CoreRef core(*flow.tool);
    Outcome outcome;
    RunEnd end = takeEnd(flow, outcome);
    try {
        end.ops->settle(&end.promise, outcome);
    } catch (...) {
        core->failed(std::current_exception());
    }
    end.ops->destroy(&end.promise);
}

}  // namespace

void tellRunEnd(Flow& flow, OutcomeKind kind, const ErrorRef& error, Results& values) noexcept {
    if (!flow.tool->alive()) return dropPromise(flow);
    Outcome& outcome = *::new (placeOfOutcome(flow)) Outcome;
    runEndOf(flow).outcome = &outcome;
    fillOutcome(outcome, flow, kind, error, values);
    flow.run = &settlePromise;
    flow.tool->enqueueNew(flow);
}

bool isRunEnd(const RunNode& node) noexcept {
    return node.run == &settlePromise;
}

void dropRunEnd(Flow& flow) noexcept {
    Outcome outcome;
    RunEnd end = takeEnd(flow, outcome);
    end.ops->destroy(&end.promise);
}

void dropPromise(Flow& flow) noexcept {
    if ((flow.bits & kSettles) == 0) return;
    flow.bits &= ~(kSettles | kTold);
    RunEnd end = runEndOf(flow);
    end.ops->destroy(&end.promise);
}

}  // namespace steptree::detail
