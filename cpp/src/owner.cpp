#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "pass.hpp"

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

}  // namespace

constinit thread_local unsigned passes = 0;

bool ToolCore::serving() noexcept {
    return passes != 0;
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
