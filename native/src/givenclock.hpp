#pragma once

#include <node_api.h>

#include <cstdint>
#include <memory>

#include "steptree/clock.hpp"

namespace steptree::native {

/// A time that JavaScript gives, whenever it calls: of tests, where time is a number.
class GivenClock final : public Clock {
  public:
    /// Null, if `time` is no Float64Array.
    static std::unique_ptr<GivenClock> of(napi_env env, napi_value time) {
        bool is = false;
        if (napi_is_typedarray(env, time, &is) != napi_ok || !is) return nullptr;
        return std::make_unique<GivenClock>(env, time);
    }

    GivenClock(napi_env env, napi_value time) noexcept {
        void* data = nullptr;
        napi_get_typedarray_info(env, time, nullptr, nullptr, &data, nullptr, nullptr);
        ms_ = static_cast<const double*>(data);
        napi_create_reference(env, time, 1, &kept_);
    }
    GivenClock(const GivenClock&) = delete;
    GivenClock& operator=(const GivenClock&) = delete;
    ~GivenClock() override = default;

    std::int64_t nanoseconds() noexcept override {
        if (ms_ != nullptr) last_ = static_cast<std::int64_t>(*ms_) * 1'000'000;
        return last_;
    }

    /// JavaScript goes.
    void end(napi_env env) noexcept {
        ms_ = nullptr;
        napi_delete_reference(env, kept_);
    }

  private:
    const double* ms_ = nullptr;
    napi_ref kept_ = nullptr;
    std::int64_t last_ = 0;
};

}  // namespace steptree::native
