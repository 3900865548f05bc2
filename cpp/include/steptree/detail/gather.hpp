#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

#include "steptree/detail/container.hpp"
#include "steptree/detail/derive.hpp"

/// Combinators of several futures.
namespace steptree::detail {

/// The values are taken by whoever brings the last one, so a failure leaves them where they are.
template <class U, class E, class Futures>
struct Gathering {
    Gathering(Futures each, std::size_t count) : futures(std::move(each)), missing(count) {}

    Promise<U, E> promise;
    Futures futures;
    std::atomic<std::size_t> missing;
};

/// Completes with `collect(futures)` when `missing` of them have a value, or with their first
/// failure. `eachOf(futures, visit)` visits all.
template <class U, class E, class Futures, class EachOf, class Collect>
Future<U, E> gather(Futures futures, std::size_t missing, EachOf eachOf, Collect collect) {
    auto all = std::make_shared<Gathering<U, E, Futures>>(std::move(futures), missing);
    Future<U, E> gathered = all->promise.future();
    if (missing == 0) {
        orFail(all->promise, [&] { all->promise.success(collect(all->futures)); });
        return gathered;
    }
    eachOf(all->futures, [&]<class T>(const Future<T, E>& future) {
        FutureAccess::state(future).whenSettled([all, collect](FutureState<T, E>& state) {
            orFail(all->promise, [&] {
                if (state.failed()) {
                    if (!all->promise.settled()) all->promise.fail(taken(state.failure()));
                } else if (all->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                    if (!all->promise.settled()) all->promise.success(collect(all->futures));
                }
            });
        });
    });
    return gathered;
}

/// The items that a value is in a zipped tuple.
template <class T>
struct ZipItems {
    using type = std::tuple<T>;
};
template <>
struct ZipItems<void> {
    using type = std::tuple<>;
};
template <class... T>
struct ZipItems<std::tuple<T...>> {
    using type = std::tuple<T...>;
};

template <class... T>
using Zipped = decltype(std::tuple_cat(std::declval<typename ZipItems<T>::type>()...));

template <class T, class E>
typename ZipItems<T>::type zipItems(const Future<T, E>& future) {
    if constexpr (std::is_void_v<T>) {
        return {};
    } else {
        return typename ZipItems<T>::type(taken(FutureAccess::state(future).value()));
    }
}

template <class T, class E>
template <class... U>
auto Combinators<T, E>::zip(const Future<U, E>&... others) const {
    (static_cast<void>(FutureAccess::state(others)), ...);  // valid, before anything is taken
    using Futures = std::tuple<Future<T, E>, Future<U, E>...>;
    return gather<Zipped<T, U...>, E>(
        Futures(self(), others...), 1 + sizeof...(U),
        [](const Futures& futures, auto visit) {
            std::apply([&](const auto&... future) { (visit(future), ...); }, futures);
        },
        [](const Futures& futures) {
            return std::apply(
                [](const auto&... future) { return std::tuple_cat(zipItems(future)...); }, futures);
        });
}

template <class T, class E>
template <class... V>
auto Combinators<T, E>::zipValue(V&&... values) const {
    using Z = Zipped<T, std::decay_t<V>...>;
    return deriveValue<Z>(
        self(), [values = std::tuple_cat(typename ZipItems<std::decay_t<V>>::type(
                     std::forward<V>(values))...)](auto& promise, auto& state) mutable {
            if constexpr (std::is_void_v<T>) {
                promise.success(std::move(values));
            } else {
                promise.success(std::tuple_cat(typename ZipItems<T>::type(taken(state.value())),
                                               std::move(values)));
            }
        });
}

template <class T, class E>
template <class C>
auto Combinators<T, E>::sequence(const C& futures) {
    static_assert(!std::is_void_v<T>, "a sequence is of futures that have values");
    using Item = typename C::value_type;
    static_assert(std::is_convertible_v<Item, Future<T, E>>, "a sequence is of Future<T, E>");
    using U = Rebound<C, T>;
    std::vector<Future<T, E>> all(futures.begin(), futures.end());
    for (const Future<T, E>& future : all) FutureAccess::state(future);
    const std::size_t count = all.size();
    return gather<U, E>(
        std::move(all), count,
        [](const auto& each, auto visit) {
            for (const Future<T, E>& future : each) visit(future);
        },
        [](const auto& each) {
            U values;
            for (const Future<T, E>& future : each) {
                append(values, taken(FutureAccess::state(future).value()));
            }
            return values;
        });
}

}  // namespace steptree::detail
