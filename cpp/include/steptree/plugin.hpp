#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "steptree/detail/pluginvalues.hpp"
#include "steptree/steptree.h"

// A plug-in in C++ that needs no C++ of its host: any compiler, any standard library, C++17, with
// exceptions or without. It's a thin layer over steptree/steptree.h, and links to nothing. All of
// it is the plug-in's own: hidden, so that no two plug-ins share anything.

#if defined(__cpp_exceptions)
#define STEPTREE_PLUGIN_TRY try
#define STEPTREE_PLUGIN_CATCH(...) catch (__VA_ARGS__)
#else
#define STEPTREE_PLUGIN_TRY if (true)
#endif

#pragma GCC visibility push(hidden)

/// What plug-ins in C++ are written with.
namespace steptree::plugin {

/// The host's table, once the plug-in has been started.
inline const steptree_api* api = nullptr;

/// How a call has ended; false: well. A body that returns one that is true fails with it.
/// Guide: docs/plug-in.md#in-c-for-any-c
///
///     if (const plugin::Error error = in.delay(5)) log(std::string(error.code()));
class [[nodiscard]] Error {
  public:
    constexpr Error() noexcept = default;
    constexpr Error(const steptree_error* raw) noexcept : raw_(raw) {}

    constexpr explicit operator bool() const noexcept { return raw_ != nullptr; }
    /// As the C interface has it; null: well.
    constexpr const steptree_error* raw() const noexcept { return raw_; }
    /// What handlers compare. Until the next call on this thread fails.
    std::string_view code() const noexcept { return detail::viewOf(api->error->code(raw_)); }
    /// Empty where the program gave none; as code().
    std::string_view info() const noexcept { return detail::viewOf(api->error->info(raw_)); }

  private:
    const steptree_error* raw_ = nullptr;
};

/// The right to end a wait, once, from any thread. Copies are the same right. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     ends.success("done");
class Completion {
  public:
    Completion() noexcept = default;
    /// Takes it over.
    explicit Completion(steptree_completion raw) noexcept : raw_(raw) {}
    Completion(const Completion& other) noexcept : raw_(api->completion->keep(other.raw_)) {}
    Completion(Completion&& other) noexcept
        : raw_(std::exchange(other.raw_, steptree_completion{})) {}
    Completion& operator=(Completion other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Completion() {
        if (raw_.slot != nullptr) api->completion->drop(raw_);
    }

    /// With at most 4 values. Whether it has won.
    template <class... V>
    bool success(const V&... values) const {
        const steptree_value raw[] = {Value(values).raw()..., steptree_value{}};
        return api->completion->success(raw_, raw, sizeof...(V)) != 0;
    }
    /// With an error of the step. Whether it has won.
    bool error(std::string_view code, std::string_view info = {}) const {
        return api->completion->error(raw_, detail::textOf(code), detail::textOf(info)) != 0;
    }

  private:
    steptree_completion raw_{};
};

class Outcome;
class Step;

namespace detail {

inline steptree_plugin_host* host = nullptr;

/// A system error's text ends with that of its number, which of_system() adds, too.
inline std::string_view withoutEnd(std::string_view text, std::string_view end) noexcept {
    if (text == end) return {};
    const std::size_t rest = text.size() < end.size() + 2 ? 0 : text.size() - end.size() - 2;
    const bool ends = rest > 0 && text.substr(rest, 2) == ": " && text.substr(rest + 2) == end;
    return ends ? text.substr(0, rest) : text;
}

/// What is thrown by code of the plug-in goes no further.
template <class Call>
const steptree_error* guarded(Call&& call) noexcept {
    STEPTREE_PLUGIN_TRY {
        if constexpr (std::is_void_v<decltype(call())>) {
            call();
            return nullptr;
        } else {
            return Error(call()).raw();
        }
    }
#if defined(__cpp_exceptions)
    catch (const std::system_error& error) {
        const bool known = error.code().category() == std::generic_category() ||
                           error.code().category() == std::system_category();
        const std::string message = error.code().message();
        return api->error->of_system(known ? error.code().value() : 0,
                                     textOf(withoutEnd(error.what(), message)), nullptr);
    }
    catch (const std::exception& error) {
        return api->error->of_system(0, textOf(error.what()), nullptr);
    }
    catch (...) {
        return api->error->of_system(0, textOf("no std::exception"), nullptr);
    }
#endif
}

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

template <class F>
void drop(void* data) {
    delete static_cast<F*>(data);
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

/// Null: no memory.
template <class T>
T* made(T&& of) {
    return new (std::nothrow) std::decay_t<T>(std::forward<T>(of));
}
inline Error outOfMemory() {
    return api->error->make(textOf("InternalError"), textOf("out of memory"), nullptr);
}

inline Error noStepValue() {
    return api->error->make(textOf("InternalError"), textOf("a step value that couldn't be made"),
                            nullptr);
}

}  // namespace detail

/// How a step closes. Guide: docs/plug-in.md#in-c-for-any-c
///
///     in.defer([](plugin::Step, plugin::Outcome outcome) { if (!outcome) rollBack(); });
class Outcome {
  public:
    explicit Outcome(const steptree_outcome* raw) noexcept : raw_(raw) {}

    /// Whether it ends well.
    explicit operator bool() const noexcept { return raw_->kind == STEPTREE_OK; }
    /// Of an error; `Canceled` of a cancel; else empty.
    std::string_view code() const noexcept { return detail::viewOf(raw_->code); }
    /// As the C interface has it.
    const steptree_outcome* raw() const noexcept { return raw_; }

  private:
    const steptree_outcome* raw_;
};

/// What all steps of a flow share, by keys. Guide: docs/plug-in.md#in-c-for-any-c
///
///     if (const plugin::Error error = in.state().set("user", name)) return error;
class State {
  public:
    /// Null: none, its calls do nothing.
    explicit State(steptree_state* raw) noexcept : raw_(raw) {}

    /// A copy, in the place of what the key has.
    Error set(std::string_view key, const Value& value) const {
        return raw_ == nullptr ? Error() : api->state->set(raw_, detail::textOf(key), &value.raw());
    }
    /// Lent until the key is set or erased, or the next `get`; nothing if there is none.
    View get(std::string_view key) const {
        steptree_value value{};
        const bool got =
            raw_ != nullptr && api->state->get(raw_, detail::textOf(key), &value) == nullptr;
        return got ? View(value) : View();
    }
    /// Whether there is a value, which tells none from a nothing.
    bool has(std::string_view key) const {
        return raw_ != nullptr && api->state->has(raw_, detail::textOf(key)) != 0;
    }
    /// What isn't there: nothing.
    Error erase(std::string_view key) const {
        return raw_ == nullptr ? Error() : api->state->erase(raw_, detail::textOf(key));
    }

  private:
    steptree_state* raw_;
};

/// A step that is described once, to be added any number of times: one of the host's services, or
/// one of the plug-in's own. What couldn't be made fails the step that it is added to. Any thread.
/// Guide: docs/plug-in.md#services-of-the-host
///
///     return in.add(plugin::host.service("users.find").with(args.text(0)).timeout(100));
class StepValue {
  public:
    StepValue() noexcept = default;
    StepValue(const StepValue& other) noexcept : raw_(other.raw_) {
        if (raw_ != nullptr) api->define->keep(raw_);
    }
    StepValue(StepValue&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    StepValue& operator=(StepValue other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~StepValue() {
        if (raw_ != nullptr) api->define->drop(raw_);
    }

    /// The same with these values, at most 4, in the place of those that it would find.
    template <class... V>
    StepValue with(const V&... values) const {
        const steptree_value raw[] = {Value(values).raw()..., steptree_value{}};
        return changed([&](const steptree_definition** into) {
            return api->define->bound(raw_, raw, sizeof...(V), into);
        });
    }
    /// The same with a limit.
    StepValue timeout(double ms) const {
        return changed([&](const steptree_definition** into) {
            return api->define->timeout(raw_, ms, STEPTREE_NO_TEXT, into);
        });
    }
    /// The same by a name, which paths show.
    StepValue named(std::string_view name) const {
        return changed([&](const steptree_definition** into) {
            return api->define->named(raw_, detail::textOf(name), into);
        });
    }

    /// Of a function of the C interface that makes one.
    template <class Make>
    static StepValue made(Make make) {
        StepValue value;
        if (make(&value.raw_) != nullptr) value.raw_ = nullptr;
        return value;
    }
    /// As the C interface has it; null: it couldn't be made.
    const steptree_definition* raw() const noexcept { return raw_; }

  private:
    template <class Change>
    StepValue changed(Change change) const {
        return raw_ == nullptr ? StepValue() : made(change);
    }

    const steptree_definition* raw_ = nullptr;
};

/// The host of the plug-in, once that has been started. Guide:
/// docs/plug-in.md#services-of-the-host
///
///     return in.add(plugin::host.service("greeting.for").with("de"));
class Host {
  public:
    /// A service, which is looked up when it runs: NoService is an error of the step. Made once, or
    /// for each call; what is kept has to be dropped when the plug-in is stopped.
    StepValue service(std::string_view name) const {
        return StepValue::made([&](const steptree_definition** into) {
            return api->host->service(raw(), detail::textOf(name), into);
        });
    }
    /// Others may call the step by that name, as long as the plug-in takes calls.
    Error offer(std::string_view name, const StepValue& value) const {
        if (value.raw() == nullptr) return detail::noStepValue();
        return api->host->offer(raw(), detail::textOf(name), value.raw());
    }
    /// No call of it begins any more. What others offer stays.
    Error withdraw(std::string_view name) const {
        return api->host->withdraw(raw(), detail::textOf(name));
    }
    /// As the C interface has it.
    steptree_plugin_host* raw() const noexcept { return detail::host; }
};
/// That of this plug-in. Guide: docs/plug-in.md#services-of-the-host
///
///     const plugin::StepValue find = plugin::host.service("users.find");
inline constexpr Host host{};

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
            if (body.raw() == nullptr) return detail::noStepValue();
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
        const steptree_closure closure{&Both::call, both, &detail::drop<Both>, &Both::fail,
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
        return api->step->set_cancel(raw_, &detail::bodyOf<F>, made, &detail::drop<F>);
    }
    /// Runs when the step closes, whatever ends it, as the body of a step of its own, which may add
    /// steps: `Error(Step, Outcome)` or `Error(Step)`, or without a value. The last one first.
    template <class F>
    Error defer(F function) const {
        F* const made = detail::made(std::move(function));
        if (made == nullptr) return detail::outOfMemory();
        return api->step->defer(raw_, &detail::deferredOf<F>, made, &detail::drop<F>);
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
        return give(steptree_closure{&detail::bodyOf<F>, made, &detail::drop<F>, nullptr, nullptr});
    }

    steptree_step* raw_;
};

/// A body as a step value, which the plug-in may offer; it is shared by all runs. Guide:
/// docs/plug-in.md#services-of-the-host
///
///     plugin::host.offer("now", plugin::step([](plugin::Step in) { return in.success(now()); }));
template <class F>
StepValue step(F body) {
    F* const made = detail::made(std::move(body));
    if (made == nullptr) return {};
    const steptree_closure closure{&detail::bodyOf<F>, made, &detail::drop<F>, nullptr, nullptr};
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
