#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "steptree/detail/function.hpp"
#include "steptree/detail/reaction.hpp"

namespace steptree::detail {

class ToolCore;

/// Who settles a promise, as far as that is known: a tool, and what throws InternalError on the
/// thread that has to drive it, where waiting would have no end. The tool may be gone.
struct Settler {
    const ToolCore* tool = nullptr;
    void (*mayWait)(const ToolCore*) = nullptr;
};

/// What a promise and its futures share, whatever the types. It is settled under its lock and never
/// changes after that; user code runs without the lock, apart from the constructor of the value.
class StateBase {
  public:
    enum class Status : unsigned char { pending, succeeded, failed };

    StateBase() = default;
    StateBase(const StateBase&) = delete;
    StateBase& operator=(const StateBase&) = delete;
    virtual ~StateBase() = default;

    void retain() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    bool settled() const noexcept { return status() != Status::pending; }

    /// Who has seen one of several that are completed together as settled sees all of them so: it
    /// looks twice, the second time under the lock, which is held until all are settled.
    Status status() const noexcept {
        if (!seemsSettled()) {
            const std::lock_guard lock(mutex_);
            return status_.load(std::memory_order_relaxed);
        }
        return status_.load(std::memory_order_acquire);
    }

    /// Without the second look.
    bool seemsSettled() const noexcept {
        return status_.load(std::memory_order_acquire) != Status::pending;
    }

    void wait() {
        runDue();
        if (!settled() && settler_.mayWait != nullptr) settler_.mayWait(settler_.tool);
        waitWith([](auto& changed, auto& lock, auto done) { changed.wait(lock, done); });
    }
    template <class Rep, class Period>
    bool waitFor(std::chrono::duration<Rep, Period> longest) {
        return waitWith(
            [&](auto& changed, auto& lock, auto done) { changed.wait_for(lock, longest, done); });
    }

    /// Takes over the reaction. Settled already: it runs now, or, inside of another, after that.
    void react(Reaction* reaction) noexcept {
        if (!keep(reaction)) {
            Reactions one;
            one.push(reaction);
            runReactions(*this, std::move(one));
        }
    }

    /// Before anybody else knows it.
    void settledBy(const Settler& settler) noexcept { settler_ = settler; }
    const Settler& settler() const noexcept { return settler_; }

    void setCancelHook(Function<void()> hook) {
        auto kept = hook ? std::make_unique<Function<void()>>(std::move(hook)) : nullptr;
        const std::lock_guard lock(mutex_);
        if (!unsafeSettled()) cancelHook_.swap(kept);
    }

    /// What is to be called, once; empty: there's no hook, or it was called before, or it is late.
    struct Cancel {
        std::unique_ptr<Function<void()>> hook;
        bool first = false;
    };
    Cancel startCancel() noexcept {
        const std::lock_guard lock(mutex_);
        if (unsafeSettled() || std::exchange(cancelled_, true)) return {};
        return {std::move(cancelHook_), true};
    }

    /// One that has waited by a reaction doesn't care any more, though that stays. The last one
    /// cancels, if there is a hook.
    void leave() {
        std::unique_ptr<Function<void()>> hook;
        {
            const std::lock_guard lock(mutex_);
            if (unsafeSettled() || --waiting_ > 0 || waiters_ != nullptr) return;
            if (cancelHook_ == nullptr || std::exchange(cancelled_, true)) return;
            hook = std::move(cancelHook_);
        }
        (*hook)();
    }

    /// For those who hold the lock.
    std::mutex& mutex() const noexcept { return mutex_; }
    bool unsafeSettled() const noexcept {
        return status_.load(std::memory_order_relaxed) != Status::pending;
    }

    /// What has to be done once the lock is released.
    struct Aftermath {
        Reactions reactions;
        std::unique_ptr<Function<void()>> hook;
    };
    Aftermath publish(Status outcome) noexcept {
        status_.store(outcome, std::memory_order_release);
        for (Waiter* waiter = std::exchange(waiters_, nullptr); waiter != nullptr;) {
            Waiter* const next = waiter->next;
            waiter->changed.notify_one();
            waiter = next;
        }
        return {std::move(reactions_), std::move(cancelHook_)};
    }

  private:
    /// On the stack of a thread that waits.
    struct Waiter {
        Waiter* next;
        std::condition_variable changed;
    };

    bool keep(Reaction* reaction) noexcept {
        if (seemsSettled()) return false;
        const std::lock_guard lock(mutex_);
        if (unsafeSettled()) return false;
        reactions_.push(reaction);
        ++waiting_;
        return true;
    }

    /// What this thread has queued may be what settles it.
    void runDue() const noexcept {
        while (!settled() && Trampoline::current != nullptr && Trampoline::current->step()) {
        }
    }

    template <class Block>
    bool waitWith(Block block) {
        runDue();
        if (settled()) return true;
        std::unique_lock lock(mutex_);
        if (unsafeSettled()) return true;
        Waiter waiter{waiters_, {}};
        waiters_ = &waiter;
        block(waiter.changed, lock, [this] { return unsafeSettled(); });
        if (unsafeSettled()) return true;
        Waiter** link = &waiters_;
        while (*link != &waiter) link = &(*link)->next;
        *link = waiter.next;
        return false;
    }

    std::atomic<std::uint32_t> refs_ = 0;
    std::atomic<Status> status_ = Status::pending;
    bool cancelled_ = false;
    mutable std::mutex mutex_;
    Reactions reactions_;
    std::int64_t waiting_ = 0;  // reactions whose owners still care
    Waiter* waiters_ = nullptr;
    Settler settler_;
    std::unique_ptr<Function<void()>> cancelHook_;
};

inline bool Trampoline::step() noexcept {
    Reaction* const reaction = queue_.pop();
    if (reaction == nullptr) return false;
    StateBase& state = *reaction->state;
    reaction->run(state);
    delete reaction;
    state.release();
    return true;
}

inline void runReactions(StateBase& state, Reactions reactions) noexcept {
    if (reactions.empty()) return;
    Trampoline* trampoline = Trampoline::current;
    Reactions queued;
    while (Reaction* reaction = reactions.pop()) {
        if (reaction->direct) {
            reaction->run(state);
            delete reaction;
        } else {
            reaction->state = &state;
            state.retain();
            queued.push(reaction);
        }
    }
    const auto queue = [&](Trampoline& into) {
        while (Reaction* reaction = queued.pop()) into.push(reaction);
    };
    if (trampoline != nullptr) return queue(*trampoline);
    if (queued.empty()) return;
    Trampoline own;
    queue(own);
}

}  // namespace steptree::detail
