#pragma once

#include "extras.hpp"

/// What goes on though its step is closed: an awaitable that can't be stopped, or isn't. Till it
/// has settled it keeps the places that its lines had in guards, and what it fails with is told.
namespace steptree::detail {

/// The step is left while it awaits that. `stops`: it was asked to stop, and takes its time; how it
/// ends isn't the step's business then.
void abandon(Step& step, AwaitExtra& extra, bool stops) noexcept;
/// It has ended.
void settleAbandoned(Slot& slot, Settlement& settlement) noexcept;
/// The tool goes: nobody will hear of any.
void dropAbandoned(EngineShare& share) noexcept;

}  // namespace steptree::detail
