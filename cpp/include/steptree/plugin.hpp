#pragma once

#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/detail/pluginerror.hpp"
#include "steptree/detail/pluginhandles.hpp"
#include "steptree/detail/pluginservices.hpp"
#include "steptree/detail/pluginvalues.hpp"
#include "steptree/steptree.h"

// A plug-in in C++ that needs no C++ of its host: any compiler, any standard library, C++17, with
// exceptions or without. It's a thin layer over steptree/steptree.h, and links to nothing. All of
// it is the plug-in's own: hidden, so that no two plug-ins share anything.

#pragma GCC visibility push(hidden)

/// What plug-ins in C++ are written with.
namespace steptree::plugin {

class Step;

namespace detail {

/// Calls a body, with what it takes of the two.
template <class F, class S = Step>
const steptree_error* callBody(const F& body, steptree_step* asi, const steptree_args* args) {
    return guarded([&] {
        if constexpr (std::is_invocable_v<const F&, S, Args>) {
            return body(S(asi), Args(args));
        } else {
            return body(S(asi));
        }
    });
}

template <class F>
const steptree_error* bodyOf(steptree_step* asi, const steptree_args* args, void* data) {
    return callBody(*static_cast<const F*>(data), asi, args);
}

template <class F, class S = Step, class O = Outcome>
const steptree_error* deferredOf(steptree_step* asi, const steptree_outcome* outcome, void* data) {
    const F& function = *static_cast<const F*>(data);
    return guarded([&] {
        if constexpr (std::is_invocable_v<const F&, S, O>) {
            return function(S(asi), O(outcome));
        } else {
            return function(S(asi));
        }
    });
}

template <auto body>
const steptree_error* handlerOf(steptree_step* asi, const steptree_args* args, void*) {
    return callBody(body, asi, args);
}

template <class F, class H, class S = Step>
struct Handled {
    F body;
    H onError;

    static const steptree_error* call(steptree_step* asi, const steptree_args* args, void* data) {
        return callBody(static_cast<const Handled*>(data)->body, asi, args);
    }
    static const steptree_error* fail(steptree_step* asi, steptree_text code, void* data) {
        return guarded(
            [&] { return static_cast<const Handled*>(data)->onError(S(asi), viewOf(code)); });
    }
};

}  // namespace detail

/// The accessor of a step, as long as that is open. Bodies are `Error(Step)` or `Error(Step,
/// Args)`, or return nothing; handlers are `Error(Step, std::string_view code)`. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     return in.add([](plugin::Step step) { return step.success("Hello"); });
class Step {
  public:
    explicit Step(steptree_step* raw) noexcept : raw_(raw) {}
    /// As the C interface has it, for all that isn't here.
    steptree_step* raw() const noexcept { return raw_; }

    /// Ends the step well, with at most 4 values.
    template <class... V>
    Error success(const V&... values) const {
        const steptree_value raw[] = {Value(values).raw()..., steptree_value{}};
        return api->step->success(raw_, raw, sizeof...(V));
    }
    /// Fails the step.
    Error error(std::string_view code, std::string_view info = {}) const {
        return api->step->error(raw_, detail::textOf(code), detail::textOf(info));
    }

    /// The same with what is behind it, as that in a handler: `in.error("NoUser", "",
    /// in.lastError())`.
    Error error(std::string_view code, std::string_view info, Error cause) const {
        return api->step->error_of(raw_, detail::textOf(code), detail::textOf(info), cause.raw());
    }
    /// The error that is handled, in a handler; else false.
    Error lastError() const { return api->step->last_error(raw_); }

    /// Adds a step: a body, or a step value, which gets the values before it.
    template <class F>
    Error add(F body) const {
        return addNamed({}, std::move(body));
    }
    /// The same with an error handler.
    template <class F, class H>
    Error add(F body, H onError) const {
        return addNamed({}, std::move(body), std::move(onError));
    }
    /// The same with a name, which paths show in the place of a number.
    template <class F>
    Error addNamed(std::string_view name, F body) const {
        if constexpr (std::is_same_v<F, StepValue>) {
            if (body.raw() == nullptr) return body.refusal();
            return api->add->value(adder(), body.raw(), nullptr, detail::textOf(name));
        } else {
            return given(std::move(body), [&](const steptree_closure& closure) {
                return api->add->named_step(adder(), &closure, detail::textOf(name));
            });
        }
    }
    template <class F, class H>
    Error addNamed(std::string_view name, F body, H onError) const {
        using Both = detail::Handled<F, H>;
        Both* const both = new (std::nothrow) Both{std::move(body), std::move(onError)};
        if (both == nullptr) return detail::outOfMemory();
        const steptree_closure closure{&Both::call, both, &detail::dropData<Both>, &Both::fail,
                                       nullptr};
        return api->add->named_step(adder(), &closure, detail::textOf(name));
    }
    /// Adds a loop of so many rounds; the body gets the number of each.
    template <class F>
    Error repeat(std::int64_t count, F body) const {
        return given(std::move(body), [&](const steptree_closure& closure) {
            return api->add->repeat(adder(), count, &closure, STEPTREE_NO_TEXT);
        });
    }
    /// Adds a step that ends after so many milliseconds.
    Error delay(double ms) const {
        return add(StepValue::made(
            [&](const steptree_definition** into) { return api->define->delay(ms, into); }));
    }
    /// Adds a step with these values as its result.
    template <class... V>
    Error addSuccess(const V&... values) const {
        const steptree_value raw[] = {Value(values).raw()..., steptree_value{}};
        return api->add->success(adder(), raw, sizeof...(V));
    }

    /// Limits the step and all in it.
    Error setTimeout(double ms) const { return api->step->set_timeout(raw_, ms, STEPTREE_NO_TEXT); }
    /// Is called when the step ends in any other way than well.
    template <class F>
    Error setCancel(F handler) const {
        F* const made = detail::made(std::move(handler));
        if (made == nullptr) return detail::outOfMemory();
        return api->step->set_cancel(raw_, &detail::bodyOf<F>, made, &detail::dropData<F>);
    }
    /// Runs when the step closes, whatever ends it, as the body of a step of its own, which may add
    /// steps: `Error(Step, Outcome)` or `Error(Step)`, or without a value. The last one first.
    template <class F>
    Error defer(F function) const {
        F* const made = detail::made(std::move(function));
        if (made == nullptr) return detail::outOfMemory();
        return api->step->defer(raw_, &detail::deferredOf<F>, made, &detail::dropData<F>);
    }
    /// Milliseconds until the nearest timeout around; INT64_MAX without any.
    Error remaining(std::int64_t& ms) const { return api->step->remaining(raw_, &ms); }
    /// What all steps of the flow share.
    State state() const {
        steptree_state* state = nullptr;
        return State(api->step->state(raw_, &state) == nullptr ? state : nullptr);
    }
    /// Makes the step wait until the completion is used.
    Error wait(Completion& into) const {
        steptree_completion made{};
        const Error error = api->step->wait_external(raw_, &made);
        if (!error) into = Completion(made);
        return error;
    }

  private:
    steptree_adder* adder() const noexcept { return STEPTREE_ADDER(raw_); }

    template <class F, class Give>
    static Error given(F&& body, Give give) {
        F* const made = detail::made(std::move(body));
        if (made == nullptr) return detail::outOfMemory();
        return give(
            steptree_closure{&detail::bodyOf<F>, made, &detail::dropData<F>, nullptr, nullptr});
    }

    steptree_step* raw_;
};

/// A body as a step value, which the plug-in may offer; it is shared by all runs. Guide:
/// docs/plug-in.md#services-of-the-host
///
///     const auto ping = plugin::step([](plugin::Step in) { return in.success("pong"); });
///     return plugin::host.offer("ping", ping);
template <class F>
StepValue step(F body) {
    F* const made = detail::made(std::move(body));
    if (made == nullptr) return {};
    const steptree_closure closure{&detail::bodyOf<F>, made, &detail::dropData<F>, nullptr,
                                   nullptr};
    return StepValue::made(
        [&](const steptree_definition** into) { return api->define->step(&closure, into); });
}

/// A function as a handler, which takes `least` to `most` values. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     plugin::handler<&greetIn>("greet", 1, 1, "says hello");
template <auto body>
constexpr steptree_plugin_handler handler(std::string_view name, std::uint32_t least,
                                          std::uint32_t most, std::string_view description) {
    return {detail::textOf(name),
            detail::textOf(description),
            least,
            most,
            &detail::handlerOf<body>,
            nullptr};
}

namespace detail {

template <auto started>
const steptree_error* startBy(const steptree_api* given, steptree_plugin_host* its, void*) {
    api = given;
    host = its;
    return guarded([] { return started(); });
}

inline void nothing() {}

template <void (*stop)()>
void stopBy(void*) {
    static_cast<void>(guarded([] { stop(); }));
}

}  // namespace detail

}  // namespace steptree::plugin

#pragma GCC visibility pop

/// Says what the plug-in is.
///
///     STEPTREE_PLUGIN("greeter", "1.0.0", handler<&greet>("greet", 1, 1, "says hello"))
#define STEPTREE_PLUGIN(name, version, ...) \
    STEPTREE_PLUGIN_STOPPED_BY(steptree::plugin::detail::nothing, name, version, __VA_ARGS__)

/// The same with a function without arguments that is called when no step of the plug-in is open:
/// lets go of all that it has kept, and ends its threads.
#define STEPTREE_PLUGIN_STOPPED_BY(stop, name, version, ...) \
    STEPTREE_PLUGIN_STARTED_BY(steptree::plugin::detail::nothing, stop, name, version, __VA_ARGS__)

/// The same with another function in front, which is called before any handler: it makes what the
/// plug-in needs. If it returns an Error, or throws, the plug-in isn't loaded.
#define STEPTREE_PLUGIN_STARTED_BY(start, stop, name, version, ...)                               \
    extern "C" const steptree_plugin_info* steptree_plugin(void) {                                \
        using namespace steptree::plugin;                                                         \
        static constexpr steptree_plugin_handler handlers[] = {__VA_ARGS__};                      \
        static constexpr steptree_plugin_info info = {sizeof(steptree_plugin_info),               \
                                                      STEPTREE_ABI,                               \
                                                      steptree::plugin::detail::textOf(name),     \
                                                      steptree::plugin::detail::textOf(version),  \
                                                      handlers,                                   \
                                                      sizeof handlers / sizeof handlers[0],       \
                                                      sizeof handlers[0],                         \
                                                      &steptree::plugin::detail::startBy<&start>, \
                                                      &steptree::plugin::detail::stopBy<&stop>,   \
                                                      nullptr};                                   \
        return &info;                                                                             \
    }
