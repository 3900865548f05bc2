#pragma once

#include "steptree/detail/function.hpp"
#include "steptree/detail/toolcore.hpp"

/// What has to happen on a tool's thread.
namespace steptree::detail {

/// Whether this thread may do it itself.
inline bool isHere(ToolCore& core) noexcept {
    return core.onOwnThread() || !core.alive() || core.inherited();
}

/// Has happened when it returns. Two tools that wait for each other would wait for ever, so that
/// `call` is refused in a callback of another tool: InternalError.
void onTool(ToolCore& core, const char* call, Function<void()> act);

/// Happens soon.
void later(ToolCore& core, Function<void()> act);

}  // namespace steptree::detail
