#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/completion.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/promisestate.hpp"
#include "steptree/error.hpp"

namespace steptree {

template <class T>
class Future;

/// The end that waits: a value that comes later, or the exception that comes instead. Copies are
/// the same future. All calls may be made on any thread. `asi.await(future)` waits for it without
/// blocking; so does a step whose body returns it. [promise-11] [promise-24]
template <class T = void>
class Future {
  public:
    /// Not valid: every call but valid() is InternalError.
    Future() = default;

    bool valid() const noexcept { return state_ != nullptr; }

    /// Whether get() would return or throw at once.
    bool settled() const { return state().settled(); }

    /// Blocks until it has settled. Never on the thread that is to settle it, a tool's thread for a
    /// flow.
    void wait() const { state().wait(); }

    /// The same, for so long at most; returns settled().
    template <class Rep, class Period>
    bool waitFor(std::chrono::duration<Rep, Period> longest) const {
        return state().waitFor(longest);
    }

    /// Blocks as wait() does, then gives a copy of the value or throws the exception.
    T get() const& {
        if constexpr (std::is_void_v<T>) {
            outcome();
        } else {
            return outcome();
        }
    }

    /// The same, but moves the value out: for the only one who wants it, and for types that can't
    /// be copied.
    T get() && {
        if constexpr (std::is_void_v<T>) {
            outcome();
        } else {
            return std::move(outcome());
        }
    }

    /// The exception; null while pending, and for a value.
    std::exception_ptr error() const { return settled() ? state().error() : nullptr; }

    /// Calls `callback(future)` once, on the thread that settles it, or here and now if it has
    /// settled. An exception out of it ends the process. Callbacks run in the order of these calls.
    template <class F>
    void onSettled(F&& callback) const {
        state().whenSettled([self = *this, f = std::forward<F>(callback)]() mutable { f(self); });
    }

    /// Tells the promise that nobody wants the value any more: its cancel hook is called, once,
    /// here, and settles it sooner or later. Without a hook it settles at once, as failed with
    /// `Canceled`. Nothing once it has settled.
    void cancel() const { state().cancel(); }

    /// For the runtime: makes it awaitable. The value is copied if it can be.
    void subscribe(Awaiter awaiter) const {
        state().whenSettled([state = state_, awaiter = std::move(awaiter)]() mutable {
            if (state->error() != nullptr) {
                awaiter.fail(state->error());
            } else if constexpr (std::is_void_v<T>) {
                awaiter.success();
            } else if constexpr (std::is_copy_constructible_v<T>) {
                awaiter.success(std::as_const(state->value()));
            } else {
                awaiter.success(std::move(state->value()));
            }
        });
    }

  private:
    template <class>
    friend class Promise;
    using State = detail::PromiseState<T>;

    explicit Future(std::shared_ptr<State> state) : state_(std::move(state)) {}

    State& state() const {
        if (state_ == nullptr) throw StepError(errors::InternalError, "a future without a promise");
        return *state_;
    }

    typename State::Value& outcome() const {
        state().wait();
        if (state_->error() != nullptr) std::rethrow_exception(state_->error());
        return state_->value();
    }

    std::shared_ptr<State> state_;
};

/// The end that settles. The first settlement counts and returns true, later ones return false and
/// do nothing. All calls may be made on any thread. Destroyed unsettled, its future fails with
/// `Canceled`. [promise-25]
template <class T = void>
class Promise {
  public:
    Promise() : state_(std::make_shared<State>()) {}
    Promise(Promise&&) noexcept = default;
    Promise& operator=(Promise&& other) noexcept {
        Promise old(std::move(*this));
        state_ = std::move(other.state_);
        return *this;
    }
    ~Promise() {
        if (state_ == nullptr || state_->settled()) return;
        try {
            error(errors::Canceled, "the promise was dropped");
        } catch (...) {
            fail(std::current_exception());  // short of memory
        }
    }

    Future<T> future() const {
        state();
        return Future<T>(state_);
    }

    /// With a value, unless T is void.
    template <class... V>
    requires((std::is_void_v<T> && sizeof...(V) == 0) ||
             (!std::is_void_v<T> && std::is_constructible_v<typename detail::PromiseState<T>::Value,
                                                            V...>)) bool success(V&&... value) {
        return state().success(std::forward<V>(value)...);
    }

    /// As if the exception had been thrown in the step that awaits it. Null: InternalError to the
    /// caller.
    bool fail(std::exception_ptr error) { return state().fail(std::move(error)); }

    /// fail() with a StepError.
    bool error(std::string_view code, std::string_view info = {}, std::exception_ptr cause = {}) {
        return fail(std::make_exception_ptr(StepError(code, info, std::move(cause))));
    }

    /// Called at most once, on the thread that calls Future::cancel(): stop what makes the value,
    /// then settle.
    void onCancel(detail::Function<void()> hook) { state().setCancelHook(std::move(hook)); }

  private:
    using State = detail::PromiseState<T>;

    State& state() const {
        if (state_ == nullptr)
            throw StepError(errors::InternalError, "a promise that was moved from");
        return *state_;
    }

    std::shared_ptr<State> state_;
};

}  // namespace steptree
