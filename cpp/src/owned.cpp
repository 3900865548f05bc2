#include "steptree/detail/owned.hpp"

#include <new>

/// A driven tool outlives the thread that drove it.
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

Owned::Owned() noexcept : owner_(thisThread()), maker_(lifeOfThisThread()) {}

void Owned::belongTo(ThreadId owner) noexcept {
    const std::lock_guard lock(adoption_);
    life_ = maker_ = nullptr;
    owner_.store(owner, std::memory_order_relaxed);
}

/// With the lock held.
void Owned::belongHere() noexcept {
    lifeOfOwner() = lifeOfThisThread();
    owner_.store(thisThread(), std::memory_order_relaxed);
}

void Owned::lendHere() noexcept {
    const std::lock_guard lock(adoption_);
    belongHere();
}

void Owned::leaveToAll() noexcept {
    const std::lock_guard lock(adoption_);
    last_ = owner_.load(std::memory_order_relaxed);
    owner_.store(nullptr, std::memory_order_relaxed);
}

bool Owned::isLeft() const noexcept {
    const std::lock_guard lock(adoption_);
    if (last_ == nullptr || owner_.load(std::memory_order_relaxed) != nullptr) return false;
    return last_ == thisThread() || isOrphan();
}

bool Owned::inherited() noexcept {
    const std::lock_guard lock(adoption_);
    if (last_ != nullptr || !isOrphan()) return false;
    belongHere();
    return true;
}

}  // namespace steptree::detail
