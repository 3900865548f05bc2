#include "frame.hpp"

#include "awaited.hpp"
#include "closing.hpp"
#include "completion.hpp"
#include "coroutine.hpp"
#include "extras.hpp"
#include "latch.hpp"
#include "observe.hpp"
#include "timer.hpp"
#include "view.hpp"

namespace steptree::detail {

/// The step leaves the queues of guards.
inline void leaveQueues(Step& step) noexcept {
    for (Extra* extra = step.extras; extra != nullptr; extra = extra->next) {
        if (extra->type != Extra::wait || extra->forgotten) continue;
        extra->forgotten = true;
        auto& wait = static_cast<WaitExtra&>(*extra);
        wait.ops->leave(wait, step);
    }
}

void beginLeaving(Line& line, Step& step, ErrorData* into) noexcept {
    const bool waited = step.phase == Phase::waiting;
    step.phase = Phase::cancel;
    if (waited && claimedRemotelyOk(line)) forgetUndo(step);
    if (step.next != nullptr) dropQueued(*line.flow, step.next);
    if (step.extras != nullptr) {
        disarmStep(step);
        lookAtAwaited(step);
    }
    dropLatch(line, step, into);
    line.clearValues();
    if (step.extras != nullptr) leaveQueues(step);
}

void leaveParts(Line& line, Step& step, ErrorData* passing, ErrorData* into) noexcept {
    beginLeaving(line, step, into);
    if (step.extras == nullptr) return;
    cancelAwaited(step);
    dropCoroutine(step, into);
    leaveSignal(step);
    callCancelHandler(line, step, passing);
}

void popOwing(Line& line, Step& step, const Why& why) noexcept {
    step.phase = Phase::closed;
    line.top = step.parent;
    destroyOwing(step, why);
    if ((step.flags & kMarked) != 0) line.arena.reset(line.core(), step.mark);
}

void forgetCancel(Step& step, CancelExtra& extra) noexcept {
    extra.live = false;
    destroyClosure(&step, *extra.ops, extra.closure());
}

void callCancelHandler(Line& line, Step& step, ErrorData* error) noexcept {
    auto* extra = static_cast<CancelExtra*>(findExtra(step, Extra::cancel));
    if (extra == nullptr || extra->forgotten) return;
    if (isObserved(*line.flow)) tellCancel(step);
    const View view(*line.flow, error);
    CallArgs args;
    enterForGood(step, *extra->ops, extra->closure(), args);  // the caller looks
    forgetCancel(step, *extra);
}

}  // namespace steptree::detail
