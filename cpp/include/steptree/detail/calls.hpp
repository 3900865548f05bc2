#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "steptree/detail/closure.hpp"
#include "steptree/detail/returned.hpp"
#include "steptree/detail/signature.hpp"
#include "steptree/outcome.hpp"

namespace steptree::detail {

/// All three are defined where IAsyncSteps is complete.

/// Runs code of the user's on behalf of a step. The `catch` is here, in one function with what it
/// guards, since every frame between a throw and its catch costs as much as a hundred steps.
template <class Act>
void guarded(IAsyncSteps& asi, Act&& act) noexcept;

/// A returned awaitable prolongs its body, and so does a Task. What else is returned is a value.
/// [model-72]
template <Returned returned, class Call>
void callAndWatch(IAsyncSteps& asi, Call&& call);

/// Values that are lent go back, whatever has happened.
struct PutBack {
    Results& from;
    Results* to;  // null: there are none

    ~PutBack() {
        if (to != nullptr) *to = std::move(from);
    }
};

/// Calls it with how the step closes that has deferred what runs. Its values are lent.
template <class Call>
void withOutcome(IAsyncSteps& asi, Call&& call);

/// What a coroutine refers to among the values of a body is gone at its first co_await.
template <class R, class... Values>
inline constexpr bool mayTake =
    !IsCoroutine<std::decay_t<R>> || !(std::is_reference_v<Values> || ...);

/// The same of all that the body asks for by its types.
template <class R, class P>
inline constexpr bool mayTakeAll = true;
template <class R, class... P>
inline constexpr bool mayTakeAll<R, Types<P...>> = mayTake<R, P...>;

/// Where the body of a step that is added is, and how that takes values: both are its own.
template <class F>
struct OwnBody {
    using Body = F;
    static constexpr bool takesAll = std::is_same_v<Parameters<F>, Types<Results&>>;

    static F& get(void* closure) noexcept { return Place<F>::get(closure); }
    static Results& all(Results& values) noexcept { return values; }
    template <class T>
    static T&& value(Results& values, std::size_t index) {
        return static_cast<T&&>(values.at<std::decay_t<T>>(index));
    }
};

template <class F, class At = OwnBody<F>>
struct BodyCall {
    using Closure = F;
    using P = Parameters<F>;
    static constexpr std::size_t count = P::count;
    static constexpr bool wantsValues = count != 0;
    static_assert(count <= kMaxValues, "a body takes at most 4 values");

    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        auto& body = At::get(closure);
        guarded(asi, [&] {
            if constexpr (count == 0) {
                callAndWatch<Returned::kept>(asi, [&]() -> decltype(auto) { return body(asi); });
            } else {
                Results values;
                if (args.values != nullptr) values = std::move(*args.values);
                if constexpr (At::takesAll) {
                    static_assert(mayTake<decltype(body(asi, At::all(values))), Results&>,
                                  "a coroutine takes its values by value, each by its type");
                    callAndWatch<Returned::kept>(
                        asi, [&]() -> decltype(auto) { return body(asi, At::all(values)); });
                } else {
                    spread(asi, body, values, P{}, std::make_index_sequence<count>{});
                }
            }
        });
    }

    template <class... T, std::size_t... I>
    static void spread(IAsyncSteps& asi, typename At::Body& body, Results& values, Types<T...>,
                       std::index_sequence<I...>) {
        using R = decltype(body(asi, std::declval<T>()...));
        static_assert(mayTake<R, T...>, "a coroutine takes its values by value");
        callAndWatch<Returned::kept>(asi, [&]() -> decltype(auto) {
            return body(asi, At::template value<T>(values, I)...);
        });
    }

    template <class From>
    static constexpr ClosureOps ops = withSource<F>(Place<F>::template ops<From>(wantsValues,
                                                                                 &call));
};

template <class F>
inline constexpr bool takesNoValues = BodyCall<F>::count == 0 || OwnBody<F>::takesAll;

/// A deferred function has no use for a value. How its step closes is found out if it takes that.
template <class F>
struct DeferredCall {
    static constexpr bool takesOutcome = std::is_invocable_v<F&, IAsyncSteps&, const Outcome&>;
    static_assert(takesOutcome || std::is_invocable_v<F&, IAsyncSteps&>,
                  "a deferred function takes IAsyncSteps&, or IAsyncSteps& and const Outcome&");

    static void call(IAsyncSteps& asi, void* closure, CallArgs&) noexcept {
        F& fn = Place<F>::get(closure);
        guarded(asi, [&] {
            if constexpr (takesOutcome) {
                withOutcome(asi, [&](const Outcome& outcome) {
                    static_assert(!IsCoroutine<std::decay_t<decltype(fn(asi, outcome))>>,
                                  "the outcome is gone at the first co_await: a coroutine can't "
                                  "take it");
                    callAndWatch<Returned::dropped>(
                        asi, [&]() -> decltype(auto) { return fn(asi, outcome); });
                });
            } else {
                callAndWatch<Returned::dropped>(asi, [&]() -> decltype(auto) { return fn(asi); });
            }
        });
    }

    template <class From>
    static constexpr ClosureOps ops = withSource<F>(Place<F>::template ops<From>(false, &call));
};

/// What an iteration returns is no value.
template <class F, class At = OwnBody<F>>
struct IterationCall {
    using Closure = F;
    using Body = typename At::Body&;
    static constexpr bool wantsValues = false;

    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        Body body = At::get(closure);
        guarded(asi, [&] {
            if constexpr (std::is_invocable_v<Body, IAsyncSteps&, std::int64_t>) {
                static_assert(mayTakeAll<std::invoke_result_t<Body, IAsyncSteps&, std::int64_t>,
                                         Parameters<F>>,
                              "a coroutine takes the number of its round by value");
// A body may take an `int`, or what else it likes, for the index.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
                callAndWatch<Returned::dropped>(
                    asi, [&]() -> decltype(auto) { return body(asi, args.index); });
#pragma GCC diagnostic pop
            } else {
                static_assert(std::is_invocable_v<Body, IAsyncSteps&>,
                              "a round is given the accessor, and its number");
                callAndWatch<Returned::dropped>(asi, [&]() -> decltype(auto) { return body(asi); });
            }
        });
    }

    template <class From>
    static constexpr ClosureOps ops = withSource<F>(Place<F>::template ops<From>(false, &call));
};

template <class F>
struct HandlerCall {
    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        F& handler = Place<F>::get(closure);
        static_assert(!IsCoroutine<std::decay_t<decltype(handler(asi, *args.code))>>,
                      "an error handler can't be a coroutine: let it add a step that is one");
        guarded(asi, [&] {
            callAndWatch<Returned::refused>(
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

/// How an adder's body is called.
template <class F>
using StepCall = BodyCall<F>;
template <class F>
using RoundCall = IterationCall<F>;

}  // namespace steptree::detail
