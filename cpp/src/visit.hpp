#pragma once

#include <mutex>

#include "steptree/detail/coreref.hpp"

namespace steptree::detail {

/// A tool that several threads drive is this thread's while this lives.
class ToolCore::Visit {
  public:
    explicit Visit(ToolCore& core) noexcept : core_(core), lock_(core.visits_) { core.adopt(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
        if (core_->alive()) core_->leaveToAll();
    }

  private:
    CoreRef core_;
    std::lock_guard<std::mutex> lock_;
};

}  // namespace steptree::detail
