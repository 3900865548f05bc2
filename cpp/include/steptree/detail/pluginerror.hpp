#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "steptree/detail/pluginvalues.hpp"
#include "steptree/steptree.h"

// Errors of plug-ins in C++, and how their code is called: a part of steptree/plugin.hpp.

#if defined(__cpp_exceptions)
#define STEPTREE_PLUGIN_TRY try
#else
#define STEPTREE_PLUGIN_TRY if (true)
#endif

#pragma GCC visibility push(hidden)

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
    /// What is behind it; false: nothing. As code().
    Error cause() const noexcept { return api->error->cause(raw_); }

  private:
    const steptree_error* raw_ = nullptr;
};

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

template <class F>
void dropData(void* data) {
    delete static_cast<F*>(data);
}

/// Null: no memory.
template <class T>
T* made(T&& of) {
    return new (std::nothrow) std::decay_t<T>(std::forward<T>(of));
}
inline Error outOfMemory() {
    return api->error->make(textOf("InternalError"), textOf("out of memory"), nullptr);
}

}  // namespace detail

}  // namespace steptree::plugin

#pragma GCC visibility pop

#undef STEPTREE_PLUGIN_TRY
