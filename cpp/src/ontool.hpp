#pragma once

#include "steptree/abi.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/toolcore.hpp"

/// What has to happen on a tool's thread.
namespace steptree::detail {

/// Whether this thread may do it itself. `isHereToo` asks where the tool isn't this thread's.
bool isHereToo(ToolCore& core) noexcept;
inline bool isHere(ToolCore& core) noexcept {
    return core.onOwnThread() || isHereToo(core);
}

/// Whether waiting for the tool could have no end: in a callback of another tool, as two that wait
/// for each other wait for ever, and on a thread that may be needed to drive it.
STEPTREE_VISIBLE bool mustNotWait(ToolCore& core) noexcept;

/// Has happened when it returns. `call` is refused where it must not wait, and where nobody has
/// driven the tool yet: InternalError.
STEPTREE_VISIBLE void onTool(ToolCore& core, const char* call, Function<void()> act);

/// The same for what can't be refused, where it may wait.
STEPTREE_VISIBLE void waitFor(ToolCore& core, Function<void()> act);

/// `call` came on another thread than the tool's: InternalError.
[[noreturn]] void refuseThread(const char* call);
[[gnu::noinline]] void checkSlowly(ToolCore& core, const char* call);
inline void checkThread(ToolCore& core, const char* call) {
    if (!core.onOwnThread()) [[unlikely]]
        checkSlowly(core, call);
}

/// Of the calls that most steps make, which are checked on demand: a load and a comparison each are
/// 3 to 9 % of what such a step costs in all.
#ifdef STEPTREE_CHECK_THREADS
inline constexpr bool kChecksOften = true;
#else
inline constexpr bool kChecksOften = false;
#endif
inline void checkThreadOften(ToolCore& core, const char* call) {
    if constexpr (kChecksOften) checkThread(core, call);
}

/// Happens soon, on the tool's thread; if the tool is going, or has gone, wherever that is found
/// out, and with false. `act` may not throw.
STEPTREE_VISIBLE void later(ToolCore& core, Function<void(bool alive)> act);

}  // namespace steptree::detail
