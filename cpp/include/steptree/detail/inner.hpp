#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "steptree/detail/container.hpp"
#include "steptree/detail/derive.hpp"

/// Combinators that look into the container that the value is. What can't be copied is moved out.
namespace steptree::detail {

template <class T>
using Inner = std::conditional_t<copyable<T>(), const T, T>;

template <class Item>
using Passed = std::conditional_t<std::is_const_v<std::remove_reference_t<Item>> ||
                                      !std::is_lvalue_reference_v<Item>,
                                  Item, std::remove_reference_t<Item>&&>;

/// How an item of the container is passed on: by a reference that may be moved from or not.
template <class T>
using InnerItem = Passed<decltype(*std::begin(std::declval<Inner<T>&>()))>;

template <class T, class Visit>
void eachInner(T& value, Visit visit) {
    Inner<T>& container = value;
    for (auto&& item : container) visit(static_cast<InnerItem<T>>(item));
}

template <class T, class E>
template <class F>
auto Combinators<T, E>::innerMap(F&& f) const {
    using Item = std::decay_t<std::invoke_result_t<std::decay_t<F>&, InnerItem<T>>>;
    using U = Rebound<T, Item>;
    return deriveValue<U>(
        self(), [f = std::decay_t<F>(std::forward<F>(f))](auto& promise, auto& state) mutable {
            U mapped;
            eachInner(state.value(), [&](InnerItem<T> item) {
                append(mapped, std::invoke(f, std::forward<InnerItem<T>>(item)));
            });
            promise.success(std::move(mapped));
        });
}

template <class T, class E>
template <class F>
Future<T, E> Combinators<T, E>::innerFilter(F&& f) const {
    return deriveValue<T>(
        self(), [f = std::decay_t<F>(std::forward<F>(f))](auto& promise, auto& state) mutable {
            T kept;
            eachInner(state.value(), [&](InnerItem<T> item) {
                if (std::invoke(f, std::as_const(item))) {
                    append(kept, std::forward<InnerItem<T>>(item));
                }
            });
            promise.success(std::move(kept));
        });
}

template <class T, class E>
template <class F, class A>
auto Combinators<T, E>::innerReduce(F&& f, A initial) const {
    return deriveValue<A>(self(), [f = std::decay_t<F>(std::forward<F>(f)),
                                   acc = std::move(initial)](auto& promise, auto& state) mutable {
        eachInner(state.value(), [&](InnerItem<T> item) {
            acc = std::invoke(f, std::move(acc), std::forward<InnerItem<T>>(item));
        });
        promise.success(std::move(acc));
    });
}

template <class T, class E>
auto Combinators<T, E>::innerFlatten() const {
    using Container = std::decay_t<InnerItem<T>>;
    using U = Rebound<T, typename Container::value_type>;
    return deriveValue<U>(self(), [](auto& promise, auto& state) {
        U flat;
        eachInner(state.value(), [&](InnerItem<T> inner) {
            for (auto&& item : inner) {
                append(flat, static_cast<Passed<decltype((item))>>(item));
            }
        });
        promise.success(std::move(flat));
    });
}

}  // namespace steptree::detail
