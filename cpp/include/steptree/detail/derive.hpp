#pragma once

#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/promise.hpp"

/// How a combinator makes a future of another one: what calls user code, and what becomes of what
/// it returns and throws.
namespace steptree::detail {

/// What a WithFailure throws where it can't become a future.
template <class E>
struct STEPTREE_VISIBLE RaisedFailure {
    E failure;
};

struct FutureAccess {
    template <class T, class E>
    static FutureState<T, E>& state(const Future<T, E>& future) {
        return future.state();
    }
    template <class T, class E>
    static StateRef<FutureState<T, E>> state(const Promise<T, E>& promise) {
        promise.state();
        return promise.state_;
    }
    /// False once it was moved from.
    template <class T, class E>
    static bool holds(const Promise<T, E>& promise) noexcept {
        return static_cast<bool>(promise.state_);
    }
};

/// With `const T&`, or with a T if the function can't take that; with nothing for void.
template <class F, class T, class E>
decltype(auto) callWith(F& f, FutureState<T, E>& state) {
    if constexpr (std::is_void_v<T>) {
        return std::invoke(f);
    } else if constexpr (std::is_invocable_v<F&, const T&>) {
        return std::invoke(f, std::as_const(state.value()));
    } else {
        static_assert(std::is_invocable_v<F&, T>, "the function can't be called with the value");
        return std::invoke(f, taken(state.value()));
    }
}

template <class F, class T, class E>
using CallWith =
    std::decay_t<decltype(callWith(std::declval<F&>(), std::declval<FutureState<T, E>&>()))>;

template <class F, class E>
decltype(auto) callWithFailure(F& f, E& failure) {
    if constexpr (std::is_invocable_v<F&, const E&>) {
        return std::invoke(f, std::as_const(failure));
    } else {
        static_assert(std::is_invocable_v<F&, E>, "the function can't be called with the failure");
        return std::invoke(f, taken(failure));
    }
}

/// What `act` throws is what the promise fails with, unless `act` has given it away.
template <class U, class E, class Act>
void orFail(Promise<U, E>& promise, Act&& act) noexcept {
    const auto fail = [&](E failure) {
        if (FutureAccess::holds(promise)) promise.fail(std::move(failure));
    };
    try {
        act();
    } catch (RaisedFailure<E>& raised) {
        fail(std::move(raised.failure));
    } catch (...) {
        fail(failureOf<E>(std::current_exception()));
    }
}

/// A future that `react(promise, state)` settles when `source` has settled; not at all if nobody
/// wants it any more.
template <class U, class E2, class T, class E, class React>
Future<U, E2> derive(const Future<T, E>& source, React react) {
    Promise<U, E2> promise;
    Future<U, E2> derived = promise.future();
    promise.settledBy(FutureAccess::state(source).settler());
    FutureAccess::state(source).whenSettled(
        [promise = std::move(promise), react = std::move(react)](FutureState<T, E>& state) mutable {
            if (promise.settled()) return;
            orFail(promise, [&] { react(promise, state); });
        });
    return derived;
}

/// The same; a failure is handed on.
template <class U, class T, class E, class React>
Future<U, E> deriveValue(const Future<T, E>& source, React react) {
    return derive<U, E>(source, [react = std::move(react)](Promise<U, E>& promise,
                                                           FutureState<T, E>& state) mutable {
        if (state.failed()) {
            promise.fail(taken(state.failure()));
        } else {
            react(promise, state);
        }
    });
}

/// The value of `call()`, which may be void.
template <class U, class E, class Call>
void succeedWith(Promise<U, E>& promise, Call&& call) {
    if constexpr (std::is_void_v<U>) {
        call();
        promise.success();
    } else {
        promise.success(call());
    }
}

template <class T, class E, class E2>
void succeedAs(Promise<T, E2>& promise, FutureState<T, E>& state) {
    if constexpr (std::is_void_v<T>) {
        promise.success();
    } else {
        promise.success(taken(state.value()));
    }
}

/// The promise gets the outcome of the future.
template <class U, class E>
void follow(Promise<U, E>& promise, const Future<U, E>& future) {
    FutureAccess::state(future).whenSettled(
        [promise = std::move(promise)](FutureState<U, E>& state) mutable {
            orFail(promise, [&] {
                if (state.failed()) {
                    promise.fail(taken(state.failure()));
                } else {
                    succeedAs(promise, state);
                }
            });
        });
}

template <class U, class E>
Future<U, E> asFuture(const Future<U, E>&);

template <class R>
concept IsFuture = requires(const R& r) {
    asFuture(r);
};

/// The future that a function returns, whatever class of its own it has.
template <class R, class E>
struct ReturnedFuture {
    static_assert(IsFuture<R>, "the function has to return a Future");
    using type = decltype(asFuture(std::declval<const R&>()));
    static_assert(std::is_same_v<typename type::Failure, E>,
                  "the function has to return a Future with the same type of failures");
    using Value = typename type::Value;
};

}  // namespace steptree::detail
