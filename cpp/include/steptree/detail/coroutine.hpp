#pragma once

#include <cstddef>

#include "steptree/detail/closure.hpp"
#include "steptree/error.hpp"
#include "steptree/results.hpp"

namespace steptree::detail {

/// What the engine and a step's coroutine tell each other. A body that returns a Task gives it to
/// IAsyncSteps::keepCoroutine(), which calls `ops.call` with this, at once, and again when the
/// steps that it has added have ended, until it says that it is over.
struct Resumption : CallArgs {
    ErrorRef error{};  // that they have ended with; null: with ok, and `values`
    Results result{};  // of one that is over
    bool isOver = false;
};

class ToolCore;

/// In front of a coroutine's frame: who takes it back.
struct FrameHead {
    void (*giveBack)(ToolCore& core, void* head, std::size_t size) noexcept;
    ToolCore* core;
};

inline void giveFrame(void* frame, std::size_t size) noexcept {
    FrameHead* const head = static_cast<FrameHead*>(frame) - 1;
    head->giveBack(*head->core, head, size);
}

}  // namespace steptree::detail
