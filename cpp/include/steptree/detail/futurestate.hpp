#pragma once

#include <exception>
#include <mutex>
#include <type_traits>
#include <utility>
#include <variant>

#include "steptree/detail/copyable.hpp"
#include "steptree/detail/statebase.hpp"
#include "steptree/failure.hpp"

namespace steptree::detail {

/// A copy for one of several takers; what can't be copied is for the first one.
template <class T>
T taken(T& from) {
    if constexpr (copyable<T>()) {
        return std::as_const(from);
    } else {
        return std::move(from);
    }
}

/// A counted reference to a state; none if it is empty.
template <class S>
class StateRef {
  public:
    StateRef() noexcept = default;
    explicit StateRef(S* state) noexcept : state_(state) {
        if (state_ != nullptr) state_->retain();
    }
    StateRef(const StateRef& other) noexcept : StateRef(other.state_) {}
    StateRef(StateRef&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    StateRef& operator=(StateRef other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~StateRef() {
        if (state_ != nullptr) state_->release();
    }

    S* get() const noexcept { return state_; }
    S& operator*() const noexcept { return *state_; }
    S* operator->() const noexcept { return state_; }
    explicit operator bool() const noexcept { return state_ != nullptr; }

  private:
    S* state_ = nullptr;
};

/// The state with its outcome: exactly one of a value and a failure, once it has settled.
template <class T, class E>
class FutureState final : public StateBase {
  public:
    static_assert(!std::is_reference_v<T> && !std::is_const_v<T>,
                  "the value of a future is an object, or void");
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    template <class... V>
    bool succeed(V&&... value) {
        return settle(Status::succeeded, [&] { store(std::forward<V>(value)...); });
    }
    template <class F>
    bool fail(F&& failure) {
        return settle(Status::failed,
                      [&] { outcome_.template emplace<2>(std::forward<F>(failure)); });
    }

    /// Calls the hook; without one, or if it has to be `atOnce`, it fails unless the hook has
    /// settled it.
    template <class Failure>
    void cancel(bool atOnce, Failure&& failure) {
        Cancel cancel = startCancel();
        if (cancel.hook) (*cancel.hook)();
        if (atOnce || (cancel.first && !cancel.hook)) fail(failure());
    }

    /// Takes over a callable, called with this state.
    template <class F>
    void whenSettled(F f) {
        if (Trampoline::current != nullptr || !seemsSettled()) {
            return react(new ReactionOf<F>(std::move(f)));
        }
        const StateRef<FutureState> keep(this);
        const Trampoline own;
        [&]() noexcept { f(*this); }();
    }
    template <class F>
    void directlyWhenSettled(F f) {
        auto* reaction = new ReactionOf<F>(std::move(f));
        reaction->direct = true;
        react(reaction);
    }

    /// Once it has settled.
    bool failed() const noexcept { return outcome_.index() == 2; }
    Value& value() noexcept { return *std::get_if<1>(&outcome_); }
    E& failure() noexcept { return *std::get_if<2>(&outcome_); }

    /// For those who hold the lock; discard() after a store() that was in vain.
    template <class... V>
    void store(V&&... value) {
        outcome_.template emplace<1>(std::forward<V>(value)...);
    }
    void discard() noexcept { outcome_.template emplace<0>(); }

  private:
    struct Nothing {};

    template <class F>
    struct ReactionOf final : Reaction {
        explicit ReactionOf(F&& callable) : f(std::move(callable)) {}
        void run(StateBase& settled) noexcept override { f(static_cast<FutureState&>(settled)); }
        F f;
    };

    template <class Store>
    bool settle(Status outcome, Store&& store) {
        std::unique_lock lock(mutex());
        if (unsafeSettled()) return false;
        store();
        Aftermath after = publish(outcome);
        lock.unlock();
        runReactions(*this, std::move(after.reactions));
        return true;
    }

    std::variant<Nothing, Value, E> outcome_;
};

}  // namespace steptree::detail
