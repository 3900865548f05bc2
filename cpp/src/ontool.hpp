#pragma once

#include "steptree/detail/function.hpp"
#include "steptree/detail/toolcore.hpp"

/// What has to happen on a tool's thread.
namespace steptree::detail {

/// Has happened when it returns. Two tools that wait for each other would wait for ever, so that
/// `call` is refused in a callback of another tool, and to a driver: InternalError.
void onTool(ToolCore& core, const char* call, Function<void()> act);

/// Whether onTool() would refuse.
bool mustNotWait(ToolCore& core);

/// Happens on this thread, or `call` is refused: InternalError.
void onlyHere(ToolCore& core, const char* call, Function<void()> act);

/// Happens soon.
void later(ToolCore& core, Function<void()> act);

}  // namespace steptree::detail
