#pragma once

#include <utility>

#include "steptree/detail/toolcore.hpp"

namespace steptree::detail {

/// Owns one reference.
class CoreRef {
  public:
    CoreRef() noexcept = default;
    explicit CoreRef(ToolCore& core) noexcept : core_(&core) { core.retain(); }
    CoreRef(const CoreRef& other) noexcept : core_(other.core_) {
        if (core_ != nullptr) core_->retain();
    }
    CoreRef(CoreRef&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
    CoreRef& operator=(CoreRef other) noexcept {
        std::swap(core_, other.core_);
        return *this;
    }
    ~CoreRef() {
        if (core_ != nullptr) core_->release();
    }

    ToolCore* get() const noexcept { return core_; }
    ToolCore* operator->() const noexcept { return core_; }
    ToolCore& operator*() const noexcept { return *core_; }
    explicit operator bool() const noexcept { return core_ != nullptr; }

  private:
    ToolCore* core_ = nullptr;
};

}  // namespace steptree::detail
