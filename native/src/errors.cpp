#include "errors.hpp"

#include "js.hpp"
#include "services.hpp"

namespace steptree::native {

namespace {

const steptree_error_api& api() noexcept {
    static const steptree_error_api* const of = steptree_host(STEPTREE_ABI, nullptr)->error;
    return *of;
}

void setText(napi_env env, napi_value object, const char* name, steptree_text text) {
    set(env, object, name, textOf(env, {text.data == nullptr ? "" : text.data, text.size}));
}

napi_value alsoOf(napi_env env, const steptree_error* error) {
    napi_value list = nullptr;
    if (api().also(error, 0) == nullptr) return nullptr;
    napi_create_array(env, &list);
    for (std::uint32_t i = 0; const steptree_error* later = api().also(error, i); ++i) {
        napi_set_element(env, list, i, describe(env, later));
    }
    return list;
}

/// Without its cause.
napi_value describeOne(napi_env env, const steptree_error* error) {
    napi_value made = objectOf(env);
    setText(env, made, "code", api().code(error));
    setText(env, made, "info", api().info(error));
    setText(env, made, "path", api().path(error));
    napi_value foreign = nullptr;
    napi_get_boolean(env, api().foreign(error) != 0, &foreign);
    set(env, made, "foreign", foreign);
    const std::int64_t after = api().retry_after(error);
    if (after >= 0) set(env, made, "retry_after", numberOf(env, static_cast<double>(after)));
    if (api().refused(error) != 0) setText(env, made, "guard", api().guard(error));
    const steptree_text waits = api().waits(error);
    if (waits.size > 0) setText(env, made, "waits", waits);
    set(env, made, "also", alsoOf(env, error));
    set(env, made, "object", errorInside(env, error));
    return made;
}

}  // namespace

napi_value describe(napi_env env, const steptree_error* error) {
    napi_value first = describeOne(env, error);
    napi_value last = first;
    // JavaScript's knows its own causes.
    while (api().object(error).kind == nullptr && (error = api().cause(error)) != nullptr) {
        napi_value cause = describeOne(env, error);
        set(env, last, "cause", cause);
        last = cause;
    }
    return first;
}

}  // namespace steptree::native
