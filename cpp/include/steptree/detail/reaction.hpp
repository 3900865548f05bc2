#pragma once

#include <utility>

#include "steptree/abi.hpp"

/// What happens because a future has settled, and where: one reaction after another, never one
/// inside of another. So chains of any length settle in the stack of one of them.
namespace steptree::detail {

class StateBase;

/// Waits in its state's list until that has settled, then in its thread's queue. Whoever takes it
/// from there deletes it.
class Reaction {
  public:
    Reaction() = default;
    Reaction(const Reaction&) = delete;
    Reaction& operator=(const Reaction&) = delete;
    virtual ~Reaction() = default;

    virtual void run(StateBase& state) noexcept = 0;

    Reaction* next = nullptr;
    StateBase* state = nullptr;  // counted, once it is queued
    /// Runs no code that could settle anything else: at once, even inside of another reaction.
    bool direct = false;
};

/// First come, first served. Owns what is in it.
class Reactions {
  public:
    Reactions() = default;
    Reactions(Reactions&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)), last_(other.last_) {}
    Reactions& operator=(Reactions&&) = delete;
    ~Reactions() {
        while (Reaction* reaction = pop()) delete reaction;
    }

    bool empty() const noexcept { return first_ == nullptr; }
    void push(Reaction* reaction) noexcept {
        reaction->next = nullptr;
        (first_ == nullptr ? first_ : last_->next) = reaction;
        last_ = reaction;
    }
    Reaction* pop() noexcept {
        Reaction* const reaction = first_;
        if (reaction != nullptr) first_ = reaction->next;
        return reaction;
    }

  private:
    Reaction* first_ = nullptr;
    Reaction* last_ = nullptr;
};

/// Exists while a reaction runs on its thread.
class STEPTREE_VISIBLE Trampoline {
  public:
    Trampoline() noexcept { current = this; }
    Trampoline(const Trampoline&) = delete;
    Trampoline& operator=(const Trampoline&) = delete;
    ~Trampoline() {
        while (step()) {
        }
        current = nullptr;
    }

    void push(Reaction* reaction) noexcept { queue_.push(reaction); }

    /// False: nothing is left to run.
    STEPTREE_HIDDEN bool step() noexcept;

    static inline constinit thread_local Trampoline* current = nullptr;

  private:
    Reactions queue_;
};

/// Of a state that has settled, all at once.
void runReactions(StateBase& state, Reactions reactions) noexcept;

}  // namespace steptree::detail
