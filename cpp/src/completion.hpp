#pragma once

#include "latch.hpp"
#include "ontool.hpp"
#include "remotesettlement.hpp"

/// Claims: how a step that waits is ended, from wherever.
namespace steptree::detail {

void claimOk(Step& step) noexcept;
void claimFail(Step& step, ErrorRef error) noexcept;
void claimControl(Step& step, Step& loop, bool isBreak) noexcept;
/// The step that waits was claimed well on another thread, which has not arrived yet; else nobody
/// can claim it any more.
bool claimedRemotelyOk(Line& line) noexcept;
/// Whether another thread has ended the step's wait: that is the outcome, the inbox brings it.
inline bool claimedRemotely(const Step& step) noexcept {
    const Slot* const slot = step.line->slot;
    return step.phase == Phase::waiting && slot != nullptr && !slot->isOpen();
}
/// Whether the accessor takes calls of its body, its handler, or whoever ends its wait.
inline bool listens(const Step& step) noexcept {
    return step.usable() && !claimedRemotely(step);
}

/// A call on the step's accessor: InternalError to the caller on another thread than the tool's,
/// and while the step takes none.
inline void checkCall(const Step& step, const char* call) {
    checkThread(step.line->core(), call);
    if (!listens(step)) [[unlikely]]
        invalid(step, call);
}

/// What another thread has claimed while the body ran counts as if it had been called there.
void latchRemote(Line& line, Step& step) noexcept;
/// The error that a winner on another thread has brought to a step that a closing reaches before
/// it; null if it was ok, or `remote` is null.
ErrorRef errorOf(RemoteSettlement* remote, Step& step) noexcept;

}  // namespace steptree::detail
