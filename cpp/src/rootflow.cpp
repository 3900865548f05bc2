#include "steptree/detail/rootflow.hpp"

#include <memory>

#include "cancel.hpp"
#include "end.hpp"
#include "fast.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "scope.hpp"
#include "steptree/asyncsteps.hpp"

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
        const Scope scope(flow);
        flow.bits &= ~kLaunching;
        if (Fixed* fixed = fixedOf(flow)) fixed->launch = nullptr;
        if (!alive) return forgetEnds(flow);
        if (!flow.running) return;
        knowEnds(flow);
        core.enqueue(flow);
        if (launch->signal.stop_possible()) hearStop(flow, std::move(launch->signal));
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
    onTool(*flow().tool, "cancel", [this, reason] { requestCancel(flow(), reason); });
}

Canceller RootFlow::canceller() {
    Canceller made;
    onTool(*flow().tool, "canceller", [this, &made] {
        FlowExtras& extras = flowExtrasOf(flow());
        if (extras.cancelSlot == nullptr) extras.cancelSlot = flow().tool->slots.acquire(&flow());
        flow().bits |= kCanceller;
        made = Canceller(*extras.cancelSlot, extras.cancelSlot->generation());
    });
    return made;
}

void RootFlow::whenClosed(Done told) {
    onTool(*flow().tool, "closed", [this, &told] { tellWhenClosed(flow(), std::move(told)); });
}

Settler RootFlow::settler() const noexcept {
    return {flow().tool, &ToolCore::mayWait};
}

std::unique_ptr<IFlow> RootFlow::newInstance() {
    if (flow().running) checkThread(*flow().tool, "newInstance");
    return instanceOf(flow());
}

State& RootFlow::state() {
    if (flow().running) checkThread(*flow().tool, "state");
    return flowExtrasOf(flow()).state;
}

const ToolCore& RootFlow::core() const noexcept {
    return *flow().tool;
}

void RootFlow::start(Done* done, bool isPromise) {
    Flow& flow = this->flow();
    const bool isPlain =
        kBareStart && done == nullptr && flow.tool->onOwnThread() && flow.bits == 0;
    if (!isPlain || flow.running.load(std::memory_order_relaxed)) [[unlikely]] {
        return startWith(done, isPromise);
    }
    flow.running.store(true, std::memory_order_relaxed);
    flow.tool->enqueueNew(flow);
}

void RootFlow::startWith(Done* done, bool isPromise) {
    Flow& flow = this->flow();
    if (flow.running) misuse("the flow is running already");
    if (!flow.tool->onOwnThread()) return launch(flow, done, isPromise);
    if (done != nullptr && *done) makeEnd(flow, std::move(*done), isPromise);
    flow.started = true;
    flow.running.store(true, std::memory_order_relaxed);
    flow.tool->enqueueNew(flow);
}

void RootFlow::startUntil(Done* done, bool isPromise, std::stop_token signal) {
    Flow& flow = this->flow();
    if (flow.running) misuse("the flow is running already");
    if (!flow.tool->onOwnThread()) return launch(flow, done, isPromise, std::move(signal));
    const bool over = signal.stop_requested();
    if (!over) prepareSignal(flow);
    startWith(done, isPromise);
    if (!over) return cancelOnStop(flow, std::move(signal));
    if (flow.flowExtras() != nullptr) flow.flowExtras()->reason.clear();
    cancelFlow(flow);
}

}  // namespace steptree::detail
