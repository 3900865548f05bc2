#pragma once

#include "extra.hpp"

/// What steps wait for: what a body returned, or what the step is.
namespace steptree::detail {

/// Its closure is what it waits for from now on. False: that has refused, which is latched.
bool awaitOwn(Line& line, Step& step) noexcept;
Answer startWatch(Line& line, Step& step) noexcept;
/// What the awaitable that the step waits for was rejected with, if the step has heard of that, but
/// has not had its turn.
ErrorRef takeRejection(Step& step) noexcept;
/// Subscribes to what a body returned that has ended its flow: it may have settled already.
void lookAtAwaited(Step& step) noexcept;
/// Of an awaitable that a step waits for: nobody does any more.
void cancelAwaited(Step& step) noexcept;
void releaseAwaited(Extra& extra) noexcept;
/// In the line's turn. Whether its body had returned that, and is to be settled now.
bool performAwaited(Line& line, Step& step) noexcept;
/// Whether a step that an awaitable has ended has ended well.
bool awaitedOk(Step& step) noexcept;
/// What is known by now may end the step: nothing guards it any more.
void concludeAwaited(Step& step) noexcept;
void settleAwaited(EngineShare& share, Slot& slot, Settlement& settlement) noexcept;

inline bool mayTakeTime(const Step& step) noexcept {
    return (step.flags & kLasts) != 0;
}
/// Whether what the step awaits goes on, and has not been asked to stop.
bool isAwaiting(Step& step) noexcept;
/// Whether it has not ended when that returns.
bool askToStop(Step& step) noexcept;
/// Nobody waits for it any longer.
void abandonAwaited(Step& step) noexcept;

}  // namespace steptree::detail
