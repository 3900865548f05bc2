#pragma once

#include <tuple>
#include <utility>

#include "steptree/detail/closure.hpp"
#include "steptree/detail/returned.hpp"
#include "steptree/detail/signature.hpp"

namespace steptree::detail {

/// Both are defined where IAsyncSteps is complete.

/// Runs code of the user's on behalf of a step. The `catch` is here, in one function with what it
/// guards, since every frame between a throw and its catch costs as much as a hundred steps.
template <class Act>
void guarded(IAsyncSteps& asi, Act&& act) noexcept;

/// A returned awaitable prolongs its body, and so does a Task. What else is returned is a value.
/// [model-72]
template <Returned returned, class Call>
void callAndWatch(IAsyncSteps& asi, Call&& call);

/// What a coroutine refers to among the values of a body is gone at its first co_await.
template <class R, class... Values>
inline constexpr bool mayTake =
    !IsCoroutine<std::decay_t<R>> || !(std::is_reference_v<Values> || ...);

/// That of a deferred function has no use for its value.
template <class F, Returned returned = Returned::kept>
struct BodyCall {
    using P = Parameters<F>;
    static constexpr std::size_t count = std::tuple_size_v<P>;
    static_assert(count <= kMaxValues, "a body takes at most 4 values");

    static constexpr bool wantsAll() noexcept {
        if constexpr (count == 1) return std::is_same_v<std::tuple_element_t<0, P>, Results&>;
        return false;
    }

    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        F& body = Place<F>::get(closure);
        guarded(asi, [&] {
            if constexpr (count == 0) {
                callAndWatch<returned>(asi, [&]() -> decltype(auto) { return body(asi); });
            } else {
                Results values;
                if (args.values != nullptr) values = std::move(*args.values);
                if constexpr (wantsAll()) {
                    static_assert(mayTake<decltype(body(asi, values)), Results&>,
                                  "a coroutine takes its values by value, each by its type");
                    callAndWatch<returned>(asi,
                                           [&]() -> decltype(auto) { return body(asi, values); });
                } else {
                    spread(asi, body, values, std::make_index_sequence<count>{});
                }
            }
        });
    }

    template <std::size_t... I>
    static void spread(IAsyncSteps& asi, F& body, Results& values, std::index_sequence<I...>) {
        using R = decltype(body(asi, std::declval<std::tuple_element_t<I, P>>()...));
        static_assert(mayTake<R, std::tuple_element_t<I, P>...>,
                      "a coroutine takes its values by value");
        callAndWatch<returned>(asi, [&]() -> decltype(auto) {
            return body(asi, static_cast<std::tuple_element_t<I, P>&&>(
                                 values.at<std::decay_t<std::tuple_element_t<I, P>>>(I))...);
        });
    }

    template <class From>
    static constexpr ClosureOps ops = Place<F>::template ops<From>(count != 0, &call);
};

template <class F>
inline constexpr bool takesNoValues = BodyCall<F>::count == 0 || BodyCall<F>::wantsAll();

template <class F, Returned returned>
struct NumberedCall {
    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        F& body = Place<F>::get(closure);
        guarded(asi, [&] {
            if constexpr (std::is_invocable_v<F&, IAsyncSteps&, std::int64_t>) {
// A body may take an `int`, or what else it likes, for the index.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
                callAndWatch<returned>(asi,
                                       [&]() -> decltype(auto) { return body(asi, args.index); });
#pragma GCC diagnostic pop
            } else {
                callAndWatch<returned>(asi, [&]() -> decltype(auto) { return body(asi); });
            }
        });
    }

    template <class From>
    static constexpr ClosureOps ops = Place<F>::template ops<From>(false, &call);
};
/// With one parameter each, as clang wants it of what a template is given.
template <class F>
using StepCall = BodyCall<F>;
template <class F>
using IterationCall = NumberedCall<F, Returned::dropped>;
template <class F>
using AttemptCall = NumberedCall<F, Returned::kept>;

template <class F>
struct HandlerCall {
    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        F& handler = Place<F>::get(closure);
        static_assert(!IsCoroutine<std::decay_t<decltype(handler(asi, *args.code))>>,
                      "an error handler can't be a coroutine: let it add a step that is one");
        guarded(asi, [&] {
            callAndWatch<Returned::dropped>(
                asi, [&]() -> decltype(auto) { return handler(asi, *args.code); });
        });
    }

    template <class From>
    static constexpr ClosureOps ops = Place<F>::template ops<From>(false, &call);
};

template <class F>
struct CancelCall {
    static void call(IAsyncSteps& asi, void* closure, CallArgs&) noexcept {
        F& handler = Place<F>::get(closure);
        static_assert(!IsCoroutine<std::decay_t<decltype(handler(asi))>>,
                      "a cancel handler can't be a coroutine: use defer() for what has to wait");
        guarded(asi, [&] { static_cast<void>(handler(asi)); });
    }

    template <class From>
    static constexpr ClosureOps ops = Place<F>::template ops<From>(false, &call);
};

}  // namespace steptree::detail
