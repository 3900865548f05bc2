#pragma once

#include "steptree/detail/derive.hpp"

/// Combinators that change the value.
namespace steptree::detail {

template <class T, class E>
template <class... V>
Future<T, E> Combinators<T, E>::successful(V&&... value) {
    Promise<T, E> promise;
    promise.success(std::forward<V>(value)...);
    return promise.future();
}

template <class T, class E>
Future<T, E> Combinators<T, E>::failed(E failure) {
    Promise<T, E> promise;
    promise.fail(std::move(failure));
    return promise.future();
}

template <class T, class E>
template <class F>
auto Combinators<T, E>::map(F&& f) const {
    using U = CallWith<std::decay_t<F>, T, E>;
    return deriveValue<U>(
        self(), [f = std::decay_t<F>(std::forward<F>(f))](auto& promise, auto& state) mutable {
            succeedWith(promise, [&]() -> decltype(auto) { return callWith(f, state); });
        });
}

template <class T, class E>
template <class F>
auto Combinators<T, E>::flatMap(F&& f) const {
    using U = typename ReturnedFuture<CallWith<std::decay_t<F>, T, E>, E>::Value;
    return deriveValue<U>(
        self(), [f = std::decay_t<F>(std::forward<F>(f))](auto& promise, auto& state) mutable {
            follow<U, E>(promise, callWith(f, state));
        });
}

template <class T, class E>
template <class F>
auto Combinators<T, E>::andThen(F&& f) const {
    using U =
        typename ReturnedFuture<std::decay_t<std::invoke_result_t<std::decay_t<F>&>>, E>::Value;
    return deriveValue<U>(self(),
                          [f = std::decay_t<F>(std::forward<F>(f))](auto& promise, auto&) mutable {
                              follow<U, E>(promise, std::invoke(f));
                          });
}

template <class T, class E>
template <class V>
auto Combinators<T, E>::andThenValue(V&& value) const {
    using U = std::decay_t<V>;
    return deriveValue<U>(self(),
                          [value = U(std::forward<V>(value))](auto& promise, auto&) mutable {
                              promise.success(std::move(value));
                          });
}

template <class T, class E>
template <class F>
Future<T, E> Combinators<T, E>::filter(F&& f, E rejected) const {
    return deriveValue<T>(self(),
                          [f = std::decay_t<F>(std::forward<F>(f)), rejected = std::move(rejected)](
                              auto& promise, auto& state) mutable {
                              const auto passes = [&]() -> bool {
                                  if constexpr (std::is_void_v<T>) {
                                      return std::invoke(f);
                                  } else {
                                      return std::invoke(f, std::as_const(state.value()));
                                  }
                              };
                              if (passes()) {
                                  succeedAs(promise, state);
                              } else {
                                  promise.fail(std::move(rejected));
                              }
                          });
}

template <class T, class E>
template <class F>
Future<T, E> Combinators<T, E>::onSuccess(F&& f) const {
    FutureAccess::state(self()).whenSettled(
        [f = std::decay_t<F>(std::forward<F>(f))](FutureState<T, E>& state) mutable {
            if (state.failed()) return;
            if constexpr (std::is_void_v<T>) {
                std::invoke(f);
            } else {
                std::invoke(f, std::as_const(state.value()));
            }
        });
    return self();
}

}  // namespace steptree::detail
