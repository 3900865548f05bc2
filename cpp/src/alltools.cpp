#include <mutex>
#include <string>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "misuse.hpp"
#include "steptree/detail/home.hpp"
#include "steptree/detail/toolcore.hpp"

// gdb finds the commands `steptree flows` and `steptree events` in each program that has tools.
// They are no part of what is loaded, and go with `strip`.
#ifdef STEPTREE_GDB_SCRIPT
asm(".pushsection .debug_gdb_scripts, \"MS\", %progbits, 1\n"
    ".byte 4\n"  // what follows is a name and a text in Python
    ".ascii \"steptree-gdb.py\\n\"\n"
    ".incbin \"" STEPTREE_GDB_SCRIPT
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
#endif

/// All tools of the process.
namespace steptree::detail {

namespace {

#ifdef __MINGW32__
std::mutex allTools;  // made of a cast, so it's no constant, though nothing runs for it
#else
constinit std::mutex allTools;
#endif
constinit ToolCore* lastTool = nullptr;

/// False if that isn't known.
bool isOnlyThread() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

}  // namespace

/// A pass leaves no trace with its thread, which would cost more than all else in it: who wants to
/// know whether this one is within a pass looks at all tools.
void ToolCore::join() noexcept {
    const std::lock_guard lock(allTools);
    before_ = lastTool;
    if (before_ != nullptr) before_->next_ = this;
    lastTool = this;
}

ToolCore::~ToolCore() {
    const std::lock_guard lock(allTools);
    if (before_ != nullptr) before_->next_ = next_;
    (next_ == nullptr ? lastTool : next_->before_) = before_;
}

/// Whoever looks at the tool from another thread sees all that it has done.
void ToolCore::endLife() noexcept {
    const std::lock_guard lock(allTools);
    closed_ = true;
}

/// With all tools locked. Null: it has gone.
const ToolCore* ToolCore::living(const ToolCore* core) noexcept {
    for (ToolCore* tool = lastTool; tool != nullptr; tool = tool->before_) {
        if (tool == core) return tool->alive() ? tool : nullptr;
    }
    return nullptr;
}

std::int64_t ToolCore::clockTimeOf(const ToolCore* core, std::int64_t gone) noexcept {
    const std::lock_guard lock(allTools);
    const ToolCore* const tool = living(core);
    return tool != nullptr ? tool->clockTime() : gone;
}

bool Home::settles(const ToolCore& core) noexcept {
    const std::lock_guard lock(allTools);
    const ToolCore* const owner = ToolCore::living(core_.load(std::memory_order_relaxed));
    if (owner != nullptr) return owner->drivenHere();
    core_.store(&core, std::memory_order_relaxed);
    thread_.store(nullptr, std::memory_order_relaxed);
    return true;
}

bool Home::isHere() const noexcept {
    const std::lock_guard lock(allTools);
    const ToolCore* const owner = ToolCore::living(core_.load(std::memory_order_relaxed));
    if (owner == nullptr) return true;
    if (!owner->drivenHere()) return false;
    if (!owner->asksCaller()) thread_.store(thisThread(), std::memory_order_relaxed);
    return true;
}

void Home::refuse(const char* call) const {
    const std::string kind(kind_);
    misuse(std::string(call) + ": this " + kind + " is for flows of one thread, which is another " +
           "one; for flows of several there is Thread" + kind);
}

void ToolCore::mayWait(const ToolCore* core) {
    const std::lock_guard lock(allTools);
    const ToolCore* const tool = living(core);
    if (tool == nullptr || !(tool->wouldWaitForItself() || isOnlyThread())) return;
    const bool isDriver = tool->onOwnThread() ? tool->inCallback() : tool->wouldWaitForItself();
    misuse(std::string("a future of a flow was to be waited for ") +
           (isDriver ? "on the thread that drives its tool"
                     : "while nobody drives its tool, which is left to this thread") +
           ": it would never settle");
}

bool ToolCore::serving() noexcept {
    const std::lock_guard lock(allTools);
    for (ToolCore* tool = lastTool; tool != nullptr; tool = tool->before_) {
        const std::lock_guard adopting(tool->adoption());
        if (tool->onOwnThread() && tool->inCallback()) return true;
    }
    return false;
}

}  // namespace steptree::detail
