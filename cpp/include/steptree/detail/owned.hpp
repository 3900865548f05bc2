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

    /// This thread's from now on, which drives it, if its owner has ended or `may()`; whether it
    /// is.
    template <class May>
    bool takesOver(May may) noexcept {
        const std::lock_guard lock(adoption_);
        if (!onOwnThread() && !isOrphan() && !may()) return false;
        maker_ = nullptr;
        belongHere();
        return true;
    }
    /// Any thread: nobody has driven it yet.
    bool undriven() const noexcept {
        const std::lock_guard lock(adoption_);
        return maker_ != nullptr;
    }
    /// Whether it is the thread that drives it.
    bool isHere() const noexcept {
        if (!onOwnThread()) [[unlikely]]
            return false;
        return life_ != nullptr && life_->load(std::memory_order_relaxed);
    }

    /// The thread that calls this, for ever; or none for now.
    void belongTo(ThreadId owner) noexcept;

    /// Any thread. True: its owner had ended, it is this one's now.
    bool inherited() noexcept;

    /// Any thread, if several drive it. True: nobody visits it, and the last who did was this
    /// thread or has ended.
    bool isLeft() const noexcept;

  protected:
    /// Begins as this thread's, until one drives it.
    Owned() noexcept;
    ~Owned() = default;

    /// Held while it is adopted by another thread.
    std::mutex& adoption() noexcept { return adoption_; }

    /// This thread's for a visit; nobody's until the next.
    void lendHere() noexcept;
    void leaveToAll() noexcept;

  private:
    using Life = std::shared_ptr<const std::atomic<bool>>;

    void belongHere() noexcept;
    Life& lifeOfOwner() noexcept { return maker_ != nullptr ? maker_ : life_; }
    bool isOrphan() const noexcept {
        const Life& life = maker_ != nullptr ? maker_ : life_;
        return life != nullptr && !*life;
    }

    std::atomic<ThreadId> owner_;
    Life life_;                // of who has driven it last; null: that doesn't matter
    Life maker_;               // of the owner, if nobody has driven it
    ThreadId last_ = nullptr;  // the owner, if it is nobody's now
    mutable std::mutex adoption_;
};

}  // namespace steptree::detail
