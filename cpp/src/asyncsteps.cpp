#include "steptree/asyncsteps.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "cold.hpp"
#include "engine.hpp"

namespace steptree {

using detail::Flow;

namespace {

/// Something that has to happen on the tool's thread.
struct Visit : detail::RemoteNode {
    detail::Function<void()> act;
    std::shared_ptr<Visit> self;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;

    static void arrived(detail::ToolCore&, detail::RemoteNode* node, bool) noexcept {
        const std::shared_ptr<Visit> visit = std::move(static_cast<Visit*>(node)->self);
        visit->act();
        const std::lock_guard lock(visit->mutex);
        visit->done = true;
        visit->changed.notify_all();
    }
};

std::shared_ptr<Visit> post(detail::ToolCore& core, detail::Function<void()> act) {
    auto visit = std::make_shared<Visit>();
    visit->act = std::move(act);
    visit->deliver = &Visit::arrived;
    visit->self = visit;
    core.postRemote(*visit);
    return visit;
}

bool isHere(detail::ToolCore& core) noexcept {
    return core.onOwnThread() || !core.alive() || core.inherited();
}

/// Returns when it has happened. Two tools that wait for each other would wait for ever, so that
/// `call` is refused in a callback of another tool.
void onTool(detail::ToolCore& core, const char* call, detail::Function<void()> act) {
    if (isHere(core)) return act();
    if (detail::ToolCore::serving()) {
        detail::misuse(std::string(call) + ": would wait for another tool in a tool's callback");
    }
    const std::shared_ptr<Visit> visit = post(core, std::move(act));
    std::unique_lock lock(visit->mutex);
    visit->changed.wait(lock, [&] { return visit->done; });
}

/// execute() from another thread than the tool's.
struct Launch : detail::RemoteNode {
    Flow* flow;

    static void arrived(detail::ToolCore& core, detail::RemoteNode* node, bool alive) noexcept {
        const std::unique_ptr<Launch> launch(static_cast<Launch*>(node));
        Flow& flow = *launch->flow;
        const detail::Scope scope(flow);
        flow.bits &= static_cast<std::uint8_t>(~detail::kLaunching);
        if (alive && flow.running) core.enqueue(flow);
    }
};

[[gnu::noinline]] void keep(Flow& flow, IFlow::Done& done, bool isPromise) {
    if (done) detail::makeEnd(flow, std::move(done), isPromise);
}

/// `started` belongs to the tool's thread too, from the posting on.
[[gnu::noinline]] void launch(Flow& flow, IFlow::Done* done, bool isPromise, bool& started) {
    auto launch = std::make_unique<Launch>();
    if (done != nullptr) keep(flow, *done, isPromise);
    launch->flow = &flow;
    launch->deliver = &Launch::arrived;
    flow.bits |= detail::kLaunching;
    flow.running.store(true, std::memory_order_release);  // an order of a canceller may look at it
    started = true;
    flow.tool->postRemote(*launch.release());
}

/// Whether nothing of the flow is known to the tool, or anywhere on the native stack.
bool isOurs(const Flow& flow, bool started) noexcept {
    const bool foreign = (flow.bits & detail::kForeign) != 0;
    if (foreign && !started) return (flow.bits & detail::kCanceller) == 0;
    return flow.tool->onOwnThread() && !flow.running && flow.onStack == 0 &&
           (flow.bits & detail::kLaunching) == 0;
}

/// The owner of the flow goes.
[[gnu::noinline]] void leave(Flow& flow, bool started) {
    if (isOurs(flow, started)) {
        detail::destroyFlow(flow);
        return;
    }
    const auto abandon = [&flow] {
        const detail::Scope scope(flow);
        flow.bits |= detail::kOrphan;
        if (flow.running) detail::requestCancel(flow, {});
    };
    if (!isHere(*flow.tool) && detail::ToolCore::serving()) {
        post(*flow.tool, abandon);
    } else {
        onTool(*flow.tool, "destruction", abandon);
    }
}

}  // namespace

AsyncSteps::AsyncSteps(Tool& tool) : flow_(&detail::newFlow(tool.core())) {}

AsyncSteps::AsyncSteps(Tool& tool, Options options) : AsyncSteps(tool) {
    if (options.burst == 0) detail::misuse("burst: expected at least 1, got 0");
    flow_->burst = options.burst;
    detail::coldOf(*flow_).options = std::make_shared<Options>(std::move(options));
}

AsyncSteps::~AsyncSteps() {
    if (!detail::freePlainFlow(*flow_)) leave(*flow_, started_);
}

void AsyncSteps::cancel(std::string_view reason) {
    onTool(*flow_->tool, "cancel", [this, reason] { detail::requestCancel(*flow_, reason); });
}

bool AsyncSteps::running() const noexcept {
    return flow_->running;
}

Canceller AsyncSteps::canceller() {
    Canceller made;
    onTool(*flow_->tool, "canceller", [this, &made] {
        detail::Cold& cold = detail::coldOf(*flow_);
        detail::EngineShare& share = flow_->share();
        if (cold.cancelSlot == nullptr) cold.cancelSlot = flow_->tool->acquireSlot(flow_);
        flow_->bits |= detail::kCanceller;
        made = Canceller(share.ops, share, *cold.cancelSlot, cold.cancelSlot->generation());
    });
    return made;
}

std::unique_ptr<IFlow> AsyncSteps::newInstance() {
    return std::make_unique<AsyncSteps>(detail::makeFlow(*flow_->tool, flow_));
}

State& AsyncSteps::state() {
    return detail::coldOf(*flow_).state;
}

void AsyncSteps::start(Done* done, bool isPromise) {
    Flow& flow = *flow_;
    if (flow.running) detail::misuse("the flow is running already");
    if (!flow.tool->onOwnThread()) {
        launch(flow, done, isPromise, started_);
        return;
    }
    if (done != nullptr) keep(flow, *done, isPromise);
    started_ = true;
    flow.running.store(true, std::memory_order_relaxed);
    flow.tool->enqueue(flow);
}

}  // namespace steptree
