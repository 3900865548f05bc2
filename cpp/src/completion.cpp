#include "steptree/completion.hpp"

#include <memory>
#include <new>

#include "awaited.hpp"
#include "cancel.hpp"
#include "completion.hpp"
#include "end.hpp"
#include "error.hpp"
#include "extra.hpp"
#include "fast.hpp"
#include "flowextras.hpp"
#include "foreign.hpp"
#include "latch.hpp"
#include "remotesettlement.hpp"
#include "run.hpp"
#include "timer.hpp"

/// What comes from outside only claims the step that waits: the line's turn does the rest. From
/// another thread it comes through the inbox.
namespace steptree::detail {

namespace {

inline void claimStep(Step& step) noexcept {
    Line& line = *step.line;
    step.phase = Phase::claimed;
    if (step.extras != nullptr) disarmStep(step);
    releaseSlot(line);
    line.core().enqueue(line);
}

/// Whether a completion of the step would be taken, on the tool's thread.
bool takes(Step& step) noexcept {
    if (cancelled(*step.line)) return false;
    if (step.phase == Phase::waiting) return true;
    return (step.phase == Phase::body || step.phase == Phase::awaiting) &&
           (step.line->marks & kLatched) == 0;
}

ErrorRef errorOf(Settlement& settlement, Step& step) noexcept {
    if (settlement.kind == Settlement::exception) return toRecord(settlement.cause, step);
    if (settlement.code.empty()) {
        return raisedBy(step, errors::InternalError, "error: expected a code, got ''");
    }
    ErrorRef made = raisedBy(step, settlement.code, settlement.info);
    giveCause(*made.get(), std::move(settlement.cause));
    return made;
}

/// Keeps the values; else the error.
ErrorRef keepClaim(Step& step, Settlement& settlement) noexcept {
    if (settlement.kind != Settlement::ok) return errorOf(settlement, step);
    try {
        step.line->keepValues(settlement.values);
        return {};
    } catch (...) {
        return toRecord(std::current_exception(), step);
    }
}

void apply(Step& step, Settlement& settlement) noexcept {
    Line& line = *step.line;
    const bool claims = step.phase == Phase::waiting;
    if (ErrorRef error = keepClaim(step, settlement)) {
        if (claims) return claimFail(step, std::move(error));
        latchFail(line, std::move(error));
    } else {
        if (claims) return claimOk(step);
        line.marks |= kSuccess;
    }
}

bool takeRemote(EngineShare& share, Slot& slot, std::uint64_t generation,
                Settlement& settlement) noexcept {
    if (!slot.open(generation)) return false;
    RemoteSettlement* remote = pack(settlement);
    if (!slot.takeRemote(generation, remote)) {
        dropRemote(remote);
        return false;
    }
    share.core.postRemote(slot);
    return true;
}

/// cancel() of a canceller, on its way to the flow's tool.
struct CancelOrder : RemoteNode {
    Slot* slot;
    std::uint64_t generation;
    std::string reason;

    static void arrived(ToolCore&, RemoteNode* node, bool alive) noexcept {
        const std::unique_ptr<CancelOrder> order(static_cast<CancelOrder*>(node));
        if (!alive || !order->slot->open(order->generation)) return;
        Flow& flow = *static_cast<Flow*>(order->slot->owner());
        // An idle flow is its maker's. One whose execute() comes later was cancelled before that.
        if (!flow.running.load(std::memory_order_acquire) || (flow.bits & kLaunching) != 0) return;
        requestCancel(flow, order->reason);
    }
};

void retain(EngineShare& share) noexcept {
    share.core.retain();
}
void releaseRef(EngineShare& share) noexcept {
    share.core.release();
}

bool valid(EngineShare& share, Slot& slot, std::uint64_t generation) noexcept {
    if (!slot.open(generation)) return false;
    return !share.core.onOwnThread() || takes(*static_cast<Step*>(slot.owner()));
}

bool settleSlot(EngineShare& share, Slot& slot, std::uint64_t generation,
                Settlement& settlement) noexcept {
    if (!share.core.onOwnThread()) {
        return takeRemote(share, slot, generation, settlement);
    }
    if (!slot.open(generation)) return false;
    auto& step = *static_cast<Step*>(slot.owner());
    if (!takes(step) || !slot.take(generation)) return false;
    apply(step, settlement);
    return true;
}

[[gnu::noinline]] bool succeedAnyhow(EngineShare& share, Slot& slot,
                                     std::uint64_t generation) noexcept {
    Settlement settlement;
    return settleSlot(share, slot, generation, settlement);
}

/// The same for an ok without values, quickly for a step that only waits. An iteration's slot stays
/// with its line, for the next iteration: kNextRound, the row parallel_loops.
bool succeedSlot(EngineShare& share, Slot& slot, std::uint64_t generation) noexcept {
    if (!kQuickOk || !share.core.onOwnThread() || !slot.open(generation)) [[unlikely]] {
        return succeedAnyhow(share, slot, generation);
    }
    auto& step = *static_cast<Step*>(slot.owner());
    Line& line = *step.line;
    const bool onlyWaits = step.phase == Phase::waiting && step.extras == nullptr;
    if (!onlyWaits || line.values != nullptr || line.flow->cancelled()) [[unlikely]] {
        return succeedAnyhow(share, slot, generation);
    }
    if (!slot.take(generation)) return false;
    line.marks = kSuccess;
    step.phase = Phase::claimed;
    if (step.kind != StepKind::iteration) releaseSlot(line);
    share.core.enqueue(line);
    return true;
}

void settleFromAnywhere(EngineShare& share, Slot& slot, std::uint64_t generation,
                        Settlement& settlement) noexcept {
    if (!share.core.onOwnThread()) {
        takeRemote(share, slot, generation, settlement);
    } else if (slot.take(generation)) {
        settleAwaited(share, slot, settlement);
    }
}

void cancelFromAnywhere(EngineShare& share, Slot& slot, std::uint64_t generation,
                        std::string_view reason) noexcept {
    if (!slot.open(generation)) return;
    try {
        auto order = std::make_unique<CancelOrder>();
        order->slot = &slot;
        order->generation = generation;
        order->reason = reason;
        order->deliver = &CancelOrder::arrived;
        share.core.postRemote(*order.release());
    } catch (const std::bad_alloc&) {
        return;
    }
}

constexpr CompletionOps kOps{&retain,
                             &releaseRef,
                             &valid,
                             &succeedSlot,
                             &settleSlot,
                             &settleFromAnywhere,
                             &cancelFromAnywhere};

ErrorData* prepareOutOfMemory() {
    ErrorRef error(new ErrorData);
    error->code = errors::InternalError;
    error->info = "out of memory";
    error->text = new std::string("InternalError: out of memory");
    return error.detach();
}

}  // namespace

void claimOk(Step& step) noexcept {
    step.line->marks = kSuccess;
    forgetUndo(step);
    claimStep(step);
}

void claimFail(Step& step, ErrorRef error) noexcept {
    latchFail(*step.line, std::move(error));
    step.line->clearValues();
    claimStep(step);
}

void claimControl(Step& step, Step& loop, bool isBreak) noexcept {
    latchControl(*step.line, loop, isBreak);
    step.line->clearValues();
    claimStep(step);
}

void EngineShare::arrived(Slot& slot, bool alive) noexcept {
    Arrival arrival(slot.unpack());
    if (!alive) return;
    const bool isAwaitable = slot.isAwaitable();
    auto* const step = static_cast<Step*>(core.slots.arrived(&slot));
    if (step == nullptr) return;
    if (isAwaitable) return settleAwaited(*this, slot, arrival.settlement());
    if (takes(*step)) apply(*step, arrival.settlement());
}

void latchRemote(Line& line, Step& step) noexcept {
    Slot& slot = *line.slot;
    if (!slot.isRemote()) return;
    Arrival arrival(slot.unpack());
    Settlement& settlement = arrival.settlement();
    if (settlement.kind == Settlement::ok && (line.marks & kSuccess) != 0) {
        line.marks |= kSuccessAgain;
    } else if (ErrorRef error = keepClaim(step, settlement)) {
        latchFail(line, std::move(error));
    } else {
        line.marks |= kSuccess;
    }
}

ErrorRef errorOf(RemoteSettlement* remote, Step& step) noexcept {
    if (remote == nullptr) return {};
    Arrival arrival(remote);
    Settlement& settlement = arrival.settlement();
    return settlement.kind == Settlement::ok ? ErrorRef() : errorOf(settlement, step);
}

bool claimedRemotelyOk(Line& line) noexcept {
    Slot* const slot = line.slot;
    if (slot == nullptr || slot->take() || !slot->isRemote()) return false;
    return isOk(slot->packet());
}

EngineShare::EngineShare(ToolCore& core)
    : core(core), ops(kOps), spareEnd(newSpareEnd()), outOfMemory(prepareOutOfMemory()) {}

EngineShare::~EngineShare() {
    ErrorRef(std::exchange(outOfMemory, nullptr));
}

}  // namespace steptree::detail
