#include "awaited.hpp"

#include "abandoned.hpp"
#include "cleanup.hpp"
#include "completion.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "fixed.hpp"
#include "foreign.hpp"
#include "latch.hpp"
#include "misuse.hpp"
#include "outliving.hpp"
#include "remotesettlement.hpp"
#include "report.hpp"
#include "run.hpp"
#include "stopping.hpp"
#include "timer.hpp"

/// Steps that wait for an awaitable. How that ends becomes known to the step after the tool
/// callback in which it ended, and claims it.
namespace steptree::detail {

namespace {

AwaitExtra* awaitOf(Step& step) noexcept {
    return static_cast<AwaitExtra*>(findExtra(step, Extra::await));
}

/// Whether the step ends with what is known now; its timer and cancel handler still may have work
/// to do for steps that its body added, or for another wait.
bool isFinal(const Step& step, std::uint32_t marks, const AwaitExtra& extra) noexcept {
    if (extra.error != nullptr || (marks & (kLatched | kValue)) != 0) return true;
    return step.next == nullptr && (marks & kExternal) == 0;
}

/// Whether what the body returned has settled, but doesn't end the step, which waits from now on.
bool staysOpen(const Step& step, const AwaitExtra& extra) noexcept {
    return step.next == nullptr && !isFinal(step, step.line->marks, extra);
}

void awaitedArrived(RunNode* node) noexcept {
    AwaitExtra& extra = *static_cast<AwaitExtra*>(node);
    Step& step = *extra.step;
    if (extra.stops) return hasStopped(step);
    if (staysOpen(step, extra)) {
        step.phase = Phase::waiting;
        return;
    }
    step.phase = Phase::claimed;
    concludeAwaited(step);
    step.line->core().enqueue(*step.line);
}

/// Of what may take time to stop: all that this needs is made now.
void prepareStop(Step& step, const AwaitOps& ops) {
    const Line& line = *step.line;
    const bool isOwn = fixedOf(*line.flow) != nullptr || line.core().blocks.isUsers();
    if (ops.outlive != nullptr && isOwn) {
        misuse("await: an operation may outlive its step, and needs a flow of the tool's memory");
    }
    makeShelter(step);
    step.flags |= kLasts;
}

AwaitExtra& newAwait(Step& step, const AwaitOps& ops, std::size_t closureSize) {
    if (ops.lasts) prepareStop(step, ops);
    auto& extra = newExtra<AwaitExtra>(step, Extra::await, closureSize);
    extra.run = &awaitedArrived;
    extra.step = &step;
    extra.ops = &ops;
    return extra;
}

void subscribeTo(AwaitExtra& extra) {
    if (extra.ops->outlive != nullptr) extra.outliving = makeOutliving(*extra.step);
    extra.subscribed = true;
    extra.slot = extra.step->line->core().slots.acquire(extra.step, Slot::awaitable);
    extra.ops->subscribe(extra.closure, Awaiter(*extra.slot, extra.slot->generation()));
}

/// Subscribes. False: the awaitable or memory refused, which is latched.
bool subscribe(Line& line, Step& step, AwaitExtra& extra) noexcept {
    try {
        subscribeTo(extra);
        return true;
    } catch (...) {
        releaseAwaited(extra);
        latchFail(line, toRecord(std::current_exception(), step));
        return false;
    }
}

void store(AwaitExtra& extra, Settlement& settlement) noexcept {
    Step& step = *extra.step;
    Line& line = *step.line;
    if (settlement.kind == Settlement::ok) {
        if ((line.marks & kSuccess) != 0 || kindOf(step).dropsValue) return;
        try {
            line.keepValues(settlement.values);
            if (settlement.values != nullptr) line.marks |= kValue;
        } catch (...) {
            extra.error = toRecord(std::current_exception(), step).detach();
        }
    } else if (settlement.kind == Settlement::error) {
        extra.error = raisedBy(step, settlement.code, settlement.info).detach();
    } else {
        extra.error = toRecord(settlement.cause, step).detach();
    }
}

/// An error that is claimed: one that comes from outside before the line's turn finds it.
void noteMistake(Step& step, AwaitExtra& extra) noexcept {
    const Line& line = *step.line;
    if (extra.error != nullptr || (line.marks & (kError | kControl)) != 0) return;
    const char* const mistake = contradiction(line, step);
    if (mistake == nullptr) return;
    extra.error = raisedBy(step, errors::InternalError, mistake).detach();
}

void leaveAwaited(Step& step, AwaitExtra& extra, bool stops) noexcept {
    extra.live = false;
    const bool pending = extra.subscribed && !extra.settled;
    if (pending && extra.outliving != nullptr) {
        extra.ops->outlive(extra.closure, pin(std::exchange(extra.outliving, nullptr)));
    }
    if (pending || extra.queued()) abandon(step, extra, stops);
    releaseAwaited(extra);
    if (extra.owned) destroyClosure(&step, *extra.ops, extra.closure);
}

}  // namespace

bool awaitedOk(Step& step) noexcept {
    const AwaitExtra& extra = *awaitOf(step);
    const std::uint32_t marks = step.line->marks;
    return isFinal(step, marks, extra) && extra.error == nullptr && step.next == nullptr &&
           (marks & (kError | kControl)) == 0;
}

void concludeAwaited(Step& step) noexcept {
    AwaitExtra& extra = *awaitOf(step);
    Line& line = *step.line;
    if (!isFinal(step, line.marks, extra)) return;
    disarmStep(step);
    if (line.slot != nullptr && extra.error == nullptr) latchRemote(line, step);
    releaseSlot(line);
    noteMistake(step, extra);
    if (awaitedOk(step)) forgetUndo(step);
}

bool awaitOwn(Line& line, Step& step) noexcept {
    clearMarks(line);
    try {
        AwaitExtra& extra = newAwait(step, static_cast<const AwaitOps&>(*step.ops), 0);
        extra.closure = closureOf(step);
        link(step, extra);
        step.phase = Phase::waiting;
        return subscribe(line, step, extra);
    } catch (...) {
        latchFail(line, toRecord(std::current_exception(), step));
        return false;
    }
}

void Step::watch(const AwaitOps& ops, void* source) {
    if (phase == Phase::body) {
        checkFits(*line, ops);
        AwaitExtra& extra = newAwait(*this, ops, ops.size);
        extra.closure = &extra + 1;
        constructClosure(ops, extra.closure, source);
        extra.owned = true;
        link(*this, extra);
    }
    line->marks |= kAwaitable;
    if (cancelled(*line)) lookAtAwaited(*this);  // counts before others leave it
}

Answer startWatch(Line& line, Step& step) noexcept {
    line.marks &= ~std::uint32_t{kAwaitable};
    step.phase = Phase::awaiting;
    if (subscribe(line, step, *awaitOf(step))) return Answer::pending;
    cancelAwaited(step);
    return settle(line, step);
}

void settleAwaited(EngineShare& share, Slot& slot, Settlement& settlement) noexcept {
    if (slot.isAbandoned()) return settleAbandoned(slot, settlement);
    Step& step = *static_cast<Step*>(slot.owner());
    AwaitExtra& extra = *awaitOf(step);
    extra.settled = true;
    extra.source = settlement.source;
    if (!extra.stops) store(extra, settlement);
    share.core.afterCallback(extra);
}

bool performAwaited(Line& line, Step& step) noexcept {
    AwaitExtra& extra = *awaitOf(step);
    extra.live = false;
    if (extra.error != nullptr) {
        const ErrorRef error(std::exchange(extra.error, nullptr));
        const bool standing = (line.marks & kError) != 0 && line.error == error.get();
        if (!standing) latchFail(line, error);
    }
    releaseAwaited(extra);
    if (!extra.owned) return false;
    step.phase = Phase::body;
    line.marks |= kSettled;
    destroyClosure(&step, *extra.ops, extra.closure);
    return true;
}

void releaseAwaited(Extra& record) noexcept {
    auto& extra = static_cast<AwaitExtra&>(record);
    ToolCore& core = extra.step->line->core();
    core.remove(extra);
    if (extra.slot != nullptr) {
        if (RemoteSettlement* remote = core.slots.release(std::exchange(extra.slot, nullptr)))
            dropRemote(remote);
    }
    if (extra.error != nullptr) ErrorRef(std::exchange(extra.error, nullptr));
    dropOutliving(std::exchange(extra.outliving, nullptr));
}

ErrorRef takeRejection(Step& step) noexcept {
    AwaitExtra* extra = awaitOf(step);
    if (extra == nullptr || extra->queued()) return {};
    const bool goesOn = extra->slot != nullptr && !extra->settled && !extra->slot->isRemote();
    if (goesOn) return {};
    Slot* slot = std::exchange(extra->slot, nullptr);
    if (RemoteSettlement* remote =
            slot != nullptr ? step.line->core().slots.release(slot) : nullptr) {
        extra->settled = true;
        return errorOf(remote, step);
    }
    return ErrorRef(std::exchange(extra->error, nullptr));
}

void lookAtAwaited(Step& step) noexcept {
    AwaitExtra* extra = awaitOf(step);
    if (extra == nullptr || extra->subscribed || extra->ops->outlive != nullptr) return;
    try {
        subscribeTo(*extra);
    } catch (...) {
        releaseAwaited(*extra);  // as if it were open
    }
}

bool isAwaiting(Step& step) noexcept {
    const AwaitExtra* const extra = awaitOf(step);
    return extra != nullptr && extra->subscribed && !extra->asked && !extra->settled;
}

bool askToStop(Step& step) noexcept {
    AwaitExtra* const extra = awaitOf(step);
    if (extra == nullptr || !extra->subscribed || extra->settled) return false;
    if (!extra->asked) {
        extra->asked = true;
        try {
            extra->stops = extra->ops->cancel(extra->closure);
        } catch (...) {
            report(*step.line->flow, std::current_exception(), step);
        }
    }
    return extra->stops && !extra->settled;
}

void abandonAwaited(Step& step) noexcept {
    leaveAwaited(step, *awaitOf(step), true);
}

void cancelAwaited(Step& step) noexcept {
    AwaitExtra* const extra = awaitOf(step);
    if (extra == nullptr) return;
    const bool stops = askToStop(step);
    leaveAwaited(step, *extra, stops);
}

}  // namespace steptree::detail
