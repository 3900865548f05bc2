#pragma once

#include "steptree/detail/derive.hpp"

/// Combinators that deal with failures.
namespace steptree::detail {

/// `react(promise, failure)` after a failure; a value is handed on.
template <class T, class E, class React>
Future<T, E> deriveFailure(const Future<T, E>& source, React react) {
    return derive<T, E>(source, [react = std::move(react)](Promise<T, E>& promise,
                                                           FutureState<T, E>& state) mutable {
        if (state.failed()) {
            react(promise, state.failure());
        } else {
            succeedAs(promise, state);
        }
    });
}

template <class T, class E>
template <class F>
auto Combinators<T, E>::mapFailure(F&& f) const {
    using E2 = std::decay_t<decltype(callWithFailure(std::declval<std::decay_t<F>&>(),
                                                     std::declval<E&>()))>;
    return derive<T, E2>(self(), [f = std::decay_t<F>(std::forward<F>(f))](
                                     Promise<T, E2>& promise, FutureState<T, E>& state) mutable {
        if (state.failed()) {
            promise.fail(callWithFailure(f, state.failure()));
        } else {
            succeedAs(promise, state);
        }
    });
}

template <class T, class E>
template <class F>
Future<T, E> Combinators<T, E>::recover(F&& f) const {
    return deriveFailure(self(), [f = std::decay_t<F>(std::forward<F>(f))](Promise<T, E>& promise,
                                                                           E& failure) mutable {
        succeedWith(promise, [&]() -> decltype(auto) { return callWithFailure(f, failure); });
    });
}

template <class T, class E>
template <class F>
Future<T, E> Combinators<T, E>::recoverWith(F&& f) const {
    return deriveFailure(self(), [f = std::decay_t<F>(std::forward<F>(f))](Promise<T, E>& promise,
                                                                           E& failure) mutable {
        follow<T, E>(promise, callWithFailure(f, failure));
    });
}

template <class T, class E>
template <class... V>
Future<T, E> Combinators<T, E>::recoverValue(V&&... value) const {
    return deriveFailure(self(),
                         [value = typename FutureState<T, E>::Value(std::forward<V>(value)...)](
                             Promise<T, E>& promise, E&) mutable {
                             if constexpr (std::is_void_v<T>) {
                                 static_cast<void>(value);
                                 promise.success();
                             } else {
                                 promise.success(std::move(value));
                             }
                         });
}

template <class T, class E>
template <class F>
Future<T, E> Combinators<T, E>::onFailure(F&& f) const {
    FutureAccess::state(self()).whenSettled(
        [f = std::decay_t<F>(std::forward<F>(f))](FutureState<T, E>& state) mutable {
            if (state.failed()) std::invoke(f, std::as_const(state.failure()));
        });
    return self();
}

}  // namespace steptree::detail
