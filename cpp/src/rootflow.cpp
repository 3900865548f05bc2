#include "steptree/detail/rootflow.hpp"

#include <memory>

#include "cancel.hpp"
#include "end.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "misuse.hpp"
#include "onstack.hpp"
#include "ontool.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/detail/startowned.hpp"

/// What the maker of a flow asks of it, from his own thread.
namespace steptree::detail {

namespace {

/// Of a flow that has started, on the tool's thread; short of memory it is cancelled.
void hearStop(Flow& flow, std::stop_token signal) noexcept {
    if (signal.stop_requested()) return requestCancel(flow, {});
    try {
        prepareSignal(flow);
    } catch (...) {
        return requestCancel(flow, "short of memory");
    }
    cancelOnStop(flow, std::move(signal));
}

}  // namespace

/// execute() from another thread than the tool's.
struct Launch : RemoteNode {
    Flow* flow;  // null: gone
    std::stop_token signal;

    static void arrived(ToolCore& core, RemoteNode* node, bool alive) noexcept {
        const std::unique_ptr<Launch> launch(static_cast<Launch*>(node));
        if (launch->flow == nullptr) return;
        Flow& flow = *launch->flow;
        const OnStack onStack(flow);
        flow.bits &= ~kLaunching;
        if (Fixed* fixed = fixedOf(flow)) fixed->launch = nullptr;
        if (!alive) {
            forgetEnds(flow);
            if ((flow.bits & kOwned) != 0) abandon(flow);
            return;
        }
        if (!flow.running) return;
        knowEnds(flow);
        core.flowsLive.add(flow);
        if (launch->signal.stop_possible()) hearStop(flow, std::move(launch->signal));
        if (!flow.cancelled()) core.enqueue(flow);
    }
};

void stopLaunch(Fixed& fixed) noexcept {
    if (fixed.launch != nullptr) fixed.launch->flow = nullptr;
}

namespace {

[[gnu::noinline]] void launch(Flow& flow, IFlow::Done* done, bool isPromise,
                              std::stop_token signal = {}) {
    auto launch = std::make_unique<Launch>();
    launch->signal = std::move(signal);
    if (done != nullptr && *done) makeEnd(flow, std::move(*done), isPromise);
    launch->flow = &flow;
    launch->deliver = &Launch::arrived;
    flow.bits |= kLaunching;
    if (Fixed* fixed = fixedOf(flow)) fixed->launch = launch.get();
    flow.running.store(true, std::memory_order_release);  // an order of a canceller may look at it
    flow.started = true;
    flow.tool->postRemote(*launch.release());
}

}  // namespace

bool isUnknownToTool(const Flow& flow) noexcept {
    return !flow.started && (flow.bits & (kForeign | kCanceller)) == kForeign;
}

void RootFlow::cancel(std::string_view reason) {
    onTool(*asFlow(*head_).tool, "cancel",
           [this, reason] { requestCancel(asFlow(*head_), reason); });
}

Canceller RootFlow::canceller() {
    Canceller made;
    onTool(*asFlow(*head_).tool, "canceller", [this, &made] {
        FlowExtras& extras = flowExtrasOf(asFlow(*head_));
        if (extras.cancelSlot == nullptr)
            extras.cancelSlot = asFlow(*head_).tool->slots.acquire(&asFlow(*head_));
        asFlow(*head_).bits |= kCanceller;
        made = Canceller(*extras.cancelSlot, extras.cancelSlot->generation());
    });
    return made;
}

void RootFlow::whenClosed(Done told) {
    onTool(*asFlow(*head_).tool, "closed",
           [this, &told] { tellWhenClosed(asFlow(*head_), std::move(told)); });
}

Settler settlerOf(const ToolCore& core) noexcept {
    return {&core, &ToolCore::mayWait};
}

Settler RootFlow::settler() const noexcept {
    return settlerOf(*asFlow(*head_).tool);
}

std::unique_ptr<IFlow> RootFlow::newInstance() {
    if (asFlow(*head_).running) checkThread(*asFlow(*head_).tool, "newInstance");
    return instanceOf(asFlow(*head_));
}

State& RootFlow::state() {
    if (asFlow(*head_).running) checkThread(*asFlow(*head_).tool, "state");
    return flowExtrasOf(asFlow(*head_)).state;
}

namespace {

/// On the tool's thread. It isn't queued yet.
void makeRun(Flow& flow, IFlow::Done* done, bool isPromise) {
    if (done != nullptr && *done) makeEnd(flow, std::move(*done), isPromise);
    flow.started = true;
    flow.running.store(true, std::memory_order_relaxed);
    flow.tool->flowsLive.add(flow);
}

/// Apart: `startFlow` would keep registers for it, the row `simple`.
[[gnu::noinline]] void startWith(Flow& flow, IFlow::Done* done, bool isPromise) {
    if (flow.running) misuse("the flow is running already");
    if (!flow.tool->onOwnThread()) return launch(flow, done, isPromise);
    makeRun(flow, done, isPromise);
    flow.tool->enqueueNew(flow);
}

}  // namespace

void startFlow(Flow& flow, IFlow::Done* done, bool isPromise) {
    const bool isPlain =
        kBareStart && done == nullptr && flow.tool->onOwnThread() && flow.bits == 0;
    if (!isPlain || flow.running.load(std::memory_order_relaxed)) [[unlikely]] {
        return startWith(flow, done, isPromise);
    }
    flow.running.store(true, std::memory_order_relaxed);
    flow.tool->flowsLive.add(flow);
    flow.tool->enqueueNew(flow);
}

void startFlowUntil(Flow& flow, IFlow::Done* done, bool isPromise, std::stop_token signal) {
    if (flow.running) misuse("the flow is running already");
    if (!flow.tool->onOwnThread()) return launch(flow, done, isPromise, std::move(signal));
    const bool over = signal.stop_requested();
    if (!over) prepareSignal(flow);
    makeRun(flow, done, isPromise);
    if (over) {
        if (flow.flowExtras() != nullptr) flow.flowExtras()->reason.clear();
        return cancelFlow(flow);
    }
    cancelOnStop(flow, std::move(signal));
    flow.tool->enqueueNew(flow);  // who observes that may end it
}

void RootFlow::start(Done* done, bool isPromise) {
    startFlow(asFlow(*head_), done, isPromise);
}

void RootFlow::startUntil(Done* done, bool isPromise, std::stop_token signal) {
    startFlowUntil(asFlow(*head_), done, isPromise, std::move(signal));
}

}  // namespace steptree::detail
