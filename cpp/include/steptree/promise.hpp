#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/completion.hpp"
#include "steptree/detail/combinators.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/detail/futurestate.hpp"
#include "steptree/error.hpp"
#include "steptree/failure.hpp"

namespace steptree {

/// The end that waits: a value that comes later, or the failure that comes instead. Copies are the
/// same future. All calls may be made on any thread. `asi.await(future)` waits for it without
/// blocking; so does a step whose body returns it. What makes new futures of it (map, flatMap, zip,
/// ...) is declared by detail::Combinators and needs `steptree/future.hpp`.
///
/// E is the type of failures; one of your own needs FailureTraits. What throws a failure here
/// throws the exception that they make of it.
///
/// Callbacks and combinators' functions run on the thread that settles the future, or here and now
/// if it has settled; inside of another one of them, after it. So they never nest, however long a
/// chain is. To wait inside of one, use a future: it runs what is due on this thread.
/// Guide: docs/waiting.md#promises-and-futures
///
///     Future<std::string> page = run(tool, profile.with(42));
///     std::string text = page.get();
template <class T = void, class E = Error>
class Future : public detail::Combinators<T, E> {
  public:
    using Value = T;
    using Failure = E;

    /// Not valid: every call but valid() is InternalError.
    Future() = default;

    /// Whether it has a promise.
    bool valid() const noexcept { return static_cast<bool>(state_); }

    /// Whether get() would return or throw at once.
    bool settled() const { return state().settled(); }
    /// settled() by another name.
    bool isCompleted() const { return settled(); }
    /// Whether it has a value.
    bool isSucceeded() const { return state().status() == State::Status::succeeded; }
    /// Whether it has a failure.
    bool isFailed() const { return state().status() == State::Status::failed; }

    /// Blocks until it has settled. Of a flow's future, and of what map(), filter() or recover()
    /// make of one: InternalError on the thread that drives the flow's tool, where it would wait
    /// for ever.
    void wait() const { state().wait(); }

    /// The same, for so long at most; returns settled().
    template <class Rep, class Period>
    bool waitFor(std::chrono::duration<Rep, Period> longest) const {
        return state().waitFor(longest);
    }

    /// Blocks as wait() does, then gives a copy of the value or throws the failure.
    T get() const& {
        static_assert(std::is_void_v<T> || detail::copyable<T>(),
                      "the value can't be copied: move it out, std::move(future).get()");
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

    /// get() by another name.
    T result() const { return get(); }

    /// The value where it lies, as long as a copy of this future is kept.
    const typename detail::FutureState<T, E>::Value& resultRef() const { return outcome(); }

    /// Blocks as wait() does, then gives the failure; of a value: throws InternalError.
    E failureReason() const {
        wait();
        if (!state_->failed()) throw StepError(errors::InternalError, "the future has a value");
        return state_->failure();
    }

    /// The failure as an exception; null while pending, and for a value.
    std::exception_ptr error() const {
        return isFailed() ? detail::exceptionOf(state_->failure()) : nullptr;
    }

    /// Calls `callback(future)` once. An exception out of it ends the process. Callbacks run in the
    /// order of these calls.
    template <class F>
    void onSettled(F&& callback) const {
        state().whenSettled(
            [f = std::decay_t<F>(std::forward<F>(callback))](State& settled) mutable {
                Future self{detail::StateRef(&settled)};
                f(self);
            });
    }

    /// Tells the promise that nobody wants the value any more: its cancel hook is called, once,
    /// here, and settles it sooner or later. Without a hook it settles at once, as failed with
    /// `Canceled`. Nothing once it has settled. A future that a combinator gave has no hook: what
    /// it was made of goes on.
    void cancel() const { cancelState(false); }

    /// For the runtime: a step that is closed awaits it no more. If nobody else waits for it, its
    /// cancel hook is called, as by cancel(); without one its maker goes on.
    void leave() const {
        const detail::StateRef<State> keep = kept();
        keep->leave();
    }

    /// For the runtime: makes it awaitable. The value is copied if it can be.
    void subscribe(Awaiter awaiter) const {
        state().directlyWhenSettled([awaiter = std::move(awaiter)](State& settled) {
            if (settled.failed()) {
                awaiter.fail(detail::exceptionOf(settled.failure()), &settled);
            } else if constexpr (std::is_void_v<T>) {
                awaiter.success();
            } else if constexpr (detail::copyable<T>()) {
                awaiter.success(std::as_const(settled.value()));
            } else {
                awaiter.success(std::move(settled.value()));
            }
        });
    }

  protected:
    void cancelState(bool atOnce) const {
        const detail::StateRef<State> keep = kept();
        keep->cancel(atOnce, [] { return canceled(); });
    }
    static E canceled() {
        return detail::failureOf<E>(std::make_exception_ptr(StepError(errors::Canceled)));
    }
    void failState(E failure) const { kept()->fail(std::move(failure)); }

  private:
    template <class, class>
    friend class Promise;
    friend class detail::Combinators<T, E>;
    friend struct detail::FutureAccess;
    using State = detail::FutureState<T, E>;

    explicit Future(detail::StateRef<State> state) noexcept : state_(std::move(state)) {}

    State& state() const {
        if (!state_) throw StepError(errors::InternalError, "a future without a promise");
        return *state_;
    }
    detail::StateRef<State> kept() const {
        state();
        return state_;
    }

    typename State::Value& outcome() const {
        wait();
        if (state_->failed()) detail::throwFailure(state_->failure());
        return state_->value();
    }

    detail::StateRef<State> state_;
};

/// The end that settles. The first settlement counts and returns true, later ones return false and
/// do nothing. All calls may be made on any thread. Destroyed unsettled, its future fails with
/// `Canceled`. To settle several at once: `completeAll`.
/// Guide: docs/waiting.md#promises-and-futures
///
///     Promise<int> promise;
///     Future<int> future = promise.future();
///     promise.success(42);
template <class T = void, class E = Error>
class Promise {
  public:
    Promise() : state_(new State) {}
    Promise(Promise&&) noexcept = default;
    Promise& operator=(Promise&& other) noexcept {
        Promise old(std::move(*this));
        state_ = std::move(other.state_);
        return *this;
    }
    ~Promise() {
        if (!state_ || state_->seemsSettled()) return;
        try {
            error(errors::Canceled, "the promise was dropped");
        } catch (...) {
            fail(detail::failureOf<E>(std::current_exception()));  // short of memory
        }
    }

    /// Its future; the same one each time. Of a promise that was moved from: InternalError.
    Future<T, E> future() const {
        state();
        return Future<T, E>(state_);
    }

    /// Whether a settlement would come too late.
    bool settled() const { return state().settled(); }

    /// With a value, unless T is void.
    template <class... V>
    requires((std::is_void_v<T> && sizeof...(V) == 0) ||
             (!std::is_void_v<T> &&
              std::is_constructible_v<typename detail::FutureState<T, E>::Value,
                                      V...>)) bool success(V&&... value) {
        state();
        return detail::StateRef(state_)->succeed(std::forward<V>(value)...);
    }

    /// As if that exception had been thrown in the step that awaits it, if E is Error. Null:
    /// InternalError to the caller.
    template <class F>
    requires std::is_constructible_v<E, F>
    bool fail(F&& failure) {
        state();
        return detail::StateRef(state_)->fail(E(std::forward<F>(failure)));
    }

    /// fail() with a StepError, or what E makes of it.
    bool error(std::string_view code, std::string_view info = {}, std::exception_ptr cause = {}) {
        return fail(
            detail::failureOf<E>(std::make_exception_ptr(StepError(code, info, std::move(cause)))));
    }

    /// For the runtime: before its future is given away.
    void settledBy(const detail::Settler& settler) const noexcept { state_->settledBy(settler); }

    /// Called at most once, on the thread that calls Future::cancel(): stop what makes the value,
    /// then settle.
    void onCancel(detail::Function<void()> hook) { state().setCancelHook(std::move(hook)); }

    /// For what makes the value: stopped when the future is cancelled. It takes the place of the
    /// cancel hook, and settling is left to the promise, as with a hook.
    std::stop_token stopToken() {
        auto source = std::make_unique<std::stop_source>();
        std::stop_token token = source->get_token();
        onCancel([source = std::move(source)] { source->request_stop(); });
        return token;
    }

  private:
    friend struct detail::FutureAccess;
    using State = detail::FutureState<T, E>;

    State& state() const {
        if (!state_) throw StepError(errors::InternalError, "a promise that was moved from");
        return *state_;
    }

    detail::StateRef<State> state_;
};

}  // namespace steptree
