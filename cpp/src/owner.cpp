#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "steptree/detail/toolcore.hpp"

/// Whose thread a tool is. A driven tool outlives the thread that drove it.
namespace steptree::detail {

namespace {

/// False once the thread has ended; null if it is ending, or short of memory.
std::shared_ptr<const std::atomic<bool>> lifeOfThisThread() noexcept {
    static thread_local bool ending = false;
    struct Life {
        std::shared_ptr<std::atomic<bool>> lives;
        Life() noexcept {
            try {
                lives = std::make_shared<std::atomic<bool>>(true);
            } catch (const std::bad_alloc&) {
                return;
            }
        }
        ~Life() {
            ending = true;
            if (lives != nullptr) *lives = false;
        }
    };
    if (ending) return nullptr;
    static thread_local const Life life;
    return life.lives;
}

constinit std::mutex allTools;
constinit ToolCore* lastTool = nullptr;

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

bool ToolCore::serving() noexcept {
    const std::lock_guard lock(allTools);
    for (ToolCore* tool = lastTool; tool != nullptr; tool = tool->before_) {
        const std::lock_guard adopting(tool->hooks_);
        if (tool->onOwnThread() && tool->inCallback()) return true;
    }
    return false;
}

void ToolCore::belongTo(ThreadId owner) noexcept {
    const std::lock_guard lock(hooks_);
    ownerLife_ = nullptr;
    owner_.store(owner, std::memory_order_relaxed);
}

void ToolCore::belongHere() noexcept {
    const std::lock_guard lock(hooks_);
    ownerLife_ = lifeOfThisThread();
    owner_.store(thisThread(), std::memory_order_relaxed);
}

bool ToolCore::inherited() noexcept {
    const std::lock_guard lock(hooks_);
    if (ownerLife_ == nullptr || *ownerLife_) return false;
    ownerLife_ = lifeOfThisThread();
    owner_.store(thisThread(), std::memory_order_relaxed);
    return true;
}

}  // namespace steptree::detail
