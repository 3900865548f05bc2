#pragma once

#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "steptree/detail/derive.hpp"

/// Futures of the standard library.
namespace steptree::detail {

template <class T, class E>
auto Combinators<T, E>::toStd() const {
    std::promise<T> promise;
    std::future<T> future = promise.get_future();
    FutureAccess::state(self()).directlyWhenSettled(
        [promise = std::move(promise)](FutureState<T, E>& state) mutable {
            try {
                if (state.failed()) {
                    promise.set_exception(exceptionOf(state.failure()));
                } else if constexpr (std::is_void_v<T>) {
                    promise.set_value();
                } else {
                    promise.set_value(taken(state.value()));
                }
            } catch (...) {
                promise.set_exception(std::current_exception());
            }
        });
    return future;
}

template <class T, class E>
template <class Std, class Executor>
Future<T, E> Combinators<T, E>::fromStd(Std future, Executor&& executor) {
    static_assert(std::is_same_v<Std, std::future<T>>, "a Future<T> is made of a std::future<T>");
    if (!future.valid()) {
        throw StepError(errors::InternalError, "fromStd: expected a valid std::future");
    }
    struct Bridge {
        std::future<T> from;
        Promise<T, E> to;
    };
    auto bridge = std::make_shared<Bridge>(Bridge{std::move(future), {}});
    Future<T, E> result = bridge->to.future();
    std::forward<Executor>(executor)([bridge = std::move(bridge)] {
        orFail(bridge->to, [&] { succeedWith(bridge->to, [&] { return bridge->from.get(); }); });
    });
    return result;
}

}  // namespace steptree::detail
