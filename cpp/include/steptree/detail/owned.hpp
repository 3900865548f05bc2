#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "steptree/detail/thread.hpp"

namespace steptree::detail {

/// What belongs to one thread at a time; or, if several drive it, to none between their visits.
class Owned {
  public:
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    /// Any thread.
    bool onOwnThread() const noexcept {
        return owner_.load(std::memory_order_relaxed) == thisThread();
    }

    /// This thread's, from now on.
    void adopt() noexcept {
        if (!isHere()) belongHere();
    }
    /// Whether it is the thread that has adopted it.
    bool isHere() const noexcept {
        if (!onOwnThread()) [[unlikely]]
            return false;
        return life_ != nullptr && life_->load(std::memory_order_relaxed);
    }

    /// The thread that calls this, for ever; or none for now.
    void belongTo(ThreadId owner) noexcept;

    /// Any thread. True: the one that had adopted it had ended, it is this one's now.
    bool inherited() noexcept;

    /// Any thread, if several drive it. True: nobody visits it, and the last who did was this
    /// thread or has ended.
    bool isLeft() noexcept;

  protected:
    /// Begins as this thread's.
    Owned() noexcept { belongHere(); }
    ~Owned() = default;

    /// Held while it is adopted by another thread.
    std::mutex& adoption() noexcept { return adoption_; }

    /// Belongs to nobody until somebody visits it.
    void leaveToAll() noexcept;

  private:
    void belongHere() noexcept;

    std::atomic<ThreadId> owner_;
    std::shared_ptr<const std::atomic<bool>> life_;  // of the owner; null: that doesn't matter
    ThreadId last_ = nullptr;                        // the owner, if it is nobody's now
    std::mutex adoption_;
};

}  // namespace steptree::detail
