#include "waker.hpp"

#include <utility>

#include "js.hpp"

namespace steptree::native {

Waker::Waker(napi_env env, napi_value pump) noexcept : env_(env) {
    napi_create_threadsafe_function(env, pump, nullptr, textOf(env, "steptree"), 0, 1, nullptr,
                                    nullptr, nullptr, nullptr, &function_);
    napi_unref_threadsafe_function(env, function_);
}

void Waker::wake() noexcept {
    if (std::this_thread::get_id() == owner_ && hushed_) return;
    const std::lock_guard locked(mutex_);
    if (function_ == nullptr) return;
    ++wakes_;
    napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking);
}

void Waker::hold(bool holds) noexcept {
    if (std::exchange(holds_, holds) == holds || function_ == nullptr) return;
    if (holds) {
        napi_ref_threadsafe_function(env_, function_);
    } else {
        napi_unref_threadsafe_function(env_, function_);
    }
}

void Waker::end() noexcept {
    const std::lock_guard locked(mutex_);
    if (function_ == nullptr) return;
    napi_release_threadsafe_function(std::exchange(function_, nullptr), napi_tsfn_abort);
}

}  // namespace steptree::native
