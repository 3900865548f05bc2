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
/// The same of the host.
inline steptree_plugin_host* pluginHost = nullptr;

namespace detail {

constexpr steptree_text textOf(std::string_view text) noexcept {
    return {text.data(), text.size()};
}
inline std::string_view viewOf(steptree_text text) noexcept {
    return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

}  // namespace detail

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

/// A value to be given; a text has to live until the call returns. Guide:
/// docs/plug-in.md#in-c-for-any-c
///
///     return in.success(plugin::Value("text"), 7, true);
class Value {
  public:
    Value(bool of) noexcept : raw_{} {
        raw_.tag = STEPTREE_BOOL;
        raw_.of.boolean = of ? 1 : 0;
    }
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    Value(T of) noexcept : raw_{} {
        raw_.tag = STEPTREE_INT64;
        raw_.of.integer = static_cast<std::int64_t>(of);
    }
    Value(double of) noexcept : raw_{} {
        raw_.tag = STEPTREE_DOUBLE;
        raw_.of.number = of;
    }
    Value(std::string_view of) noexcept : raw_{} {
        raw_.tag = STEPTREE_STRING;
        raw_.of.text = detail::textOf(of);
    }
    Value(const char* of) noexcept : Value(std::string_view(of)) {}
    template <class T, std::enable_if_t<std::is_convertible_v<const T&, std::string_view>, int> = 0>
    Value(const T& of) noexcept : Value(std::string_view(of)) {}
    /// Any other one.
    Value(const steptree_value& raw) noexcept : raw_(raw) {}

    /// As the C interface has it.
    const steptree_value& raw() const noexcept { return raw_; }

  private:
    steptree_value raw_;
};

/// What a body is given, until it returns. Guide: docs/plug-in.md#in-c-for-any-c
///
///     return in.success(args.text(0));
class Args {
  public:
    explicit Args(const steptree_args* raw) noexcept : raw_(raw) {}

    /// How many values, 0 to 4.
    std::size_t size() const noexcept { return raw_->count; }
    const steptree_value& operator[](std::size_t i) const noexcept { return raw_->values[i]; }
    /// Of another type, or none: empty, or `otherwise`.
    std::string_view text(std::size_t i) const noexcept {
        return is(i, STEPTREE_STRING) ? detail::viewOf((*this)[i].of.text) : std::string_view();
    }
    /// The same of an integer, also of a double without a fraction that has one's value.
    std::int64_t integer(std::size_t i, std::int64_t otherwise = 0) const noexcept {
        if (is(i, STEPTREE_INT64)) return (*this)[i].of.integer;
        const double number = is(i, STEPTREE_DOUBLE) ? (*this)[i].of.number : 0.5;
        if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) return otherwise;
        const auto whole = static_cast<std::int64_t>(number);
        return static_cast<double>(whole) == number ? whole : otherwise;
    }
    /// The same of any number: JavaScript's whole ones come as integers.
    double number(std::size_t i, double otherwise = 0) const noexcept {
        if (is(i, STEPTREE_INT64)) return static_cast<double>((*this)[i].of.integer);
        return is(i, STEPTREE_DOUBLE) ? (*this)[i].of.number : otherwise;
    }
    /// The same of a bool.
    bool boolean(std::size_t i, bool otherwise = false) const noexcept {
        return is(i, STEPTREE_BOOL) ? (*this)[i].of.boolean != 0 : otherwise;
    }
    /// As the C interface has it.
    const steptree_args* raw() const noexcept { return raw_; }

  private:
    bool is(std::size_t i, std::uint32_t type) const noexcept {
        return i < size() && (*this)[i].tag == type;
    }

    const steptree_args* raw_;
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

class Step;

namespace detail {

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

    /// Adds a step.
    template <class F>
    Error add(F body) const {
        return given(std::move(body), [this](const steptree_closure& closure) {
            return api->add->step(adder(), &closure);
        });
    }
    /// The same with an error handler.
    template <class F, class H>
    Error add(F body, H onError) const {
        using Both = detail::Handled<F, H>;
        Both* const both = new (std::nothrow) Both{std::move(body), std::move(onError)};
        if (both == nullptr) return detail::outOfMemory();
        const steptree_closure closure{&Both::call, both, &detail::drop<Both>, &Both::fail,
                                       nullptr};
        return api->add->step(adder(), &closure);
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
        const steptree_definition* value = nullptr;
        if (const Error error = api->define->delay(ms, &value)) return error;
        const Error error = api->add->value(adder(), value, nullptr, STEPTREE_NO_TEXT);
        api->define->drop(value);
        return error;
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

inline const steptree_error* start(const steptree_api* given, steptree_plugin_host* its, void*) {
    api = given;
    pluginHost = its;
    return nullptr;
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
#define STEPTREE_PLUGIN_STOPPED_BY(stop, name, version, ...)                                     \
    extern "C" const steptree_plugin_info* steptree_plugin(void) {                               \
        using namespace steptree::plugin;                                                        \
        static constexpr steptree_plugin_handler handlers[] = {__VA_ARGS__};                     \
        static constexpr steptree_plugin_info info = {sizeof(steptree_plugin_info),              \
                                                      STEPTREE_ABI,                              \
                                                      steptree::plugin::detail::textOf(name),    \
                                                      steptree::plugin::detail::textOf(version), \
                                                      handlers,                                  \
                                                      sizeof handlers / sizeof handlers[0],      \
                                                      sizeof handlers[0],                        \
                                                      &steptree::plugin::detail::start,          \
                                                      &steptree::plugin::detail::stopBy<&stop>,  \
                                                      nullptr};                                  \
        return &info;                                                                            \
    }
