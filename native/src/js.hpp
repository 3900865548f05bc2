#pragma once

#include <node_api.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Node-API, a little shorter. A call that JavaScript refuses, as it does while a worker is being
/// terminated, gives null, and everything here takes null as a value.
namespace steptree::native {

inline napi_value textOf(napi_env env, std::string_view text) noexcept {
    napi_value made = nullptr;
    napi_create_string_utf8(env, text.data(), text.size(), &made);
    return made;
}

inline napi_value numberOf(napi_env env, double number) noexcept {
    napi_value made = nullptr;
    napi_create_double(env, number, &made);
    return made;
}

inline napi_value objectOf(napi_env env) noexcept {
    napi_value made = nullptr;
    napi_create_object(env, &made);
    return made;
}

inline void set(napi_env env, napi_value object, const char* name, napi_value value) noexcept {
    if (object != nullptr && value != nullptr) napi_set_named_property(env, object, name, value);
}

inline std::string stringOf(napi_env env, napi_value text) {
    std::size_t size = 0;
    napi_get_value_string_utf8(env, text, nullptr, 0, &size);
    std::string read(size, '\0');
    napi_get_value_string_utf8(env, text, read.data(), size + 1, &size);
    return read;
}

inline std::vector<std::string> stringsOf(napi_env env, napi_value list) {
    std::uint32_t length = 0;
    napi_get_array_length(env, list, &length);
    std::vector<std::string> read(length);
    for (std::uint32_t i = 0; i < length; ++i) {
        napi_value text = nullptr;
        napi_get_element(env, list, i, &text);
        read[i] = stringOf(env, text);
    }
    return read;
}

inline double doubleOf(napi_env env, napi_value number) noexcept {
    double read = 0;
    napi_get_value_double(env, number, &read);
    return read;
}

inline napi_value undefinedOf(napi_env env) noexcept {
    napi_value made = nullptr;
    napi_get_undefined(env, &made);
    return made;
}

/// For what is made in callbacks that JavaScript hasn't called.
class HandleScope {
  public:
    explicit HandleScope(napi_env env) noexcept : env_(env) {
        napi_open_handle_scope(env, &scope_);
    }
    HandleScope(const HandleScope&) = delete;
    HandleScope& operator=(const HandleScope&) = delete;
    ~HandleScope() {
        if (scope_ != nullptr) napi_close_handle_scope(env_, scope_);
    }

  private:
    napi_env env_;
    napi_handle_scope scope_ = nullptr;
};

}  // namespace steptree::native
