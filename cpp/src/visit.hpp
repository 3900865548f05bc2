#pragma once

#include <mutex>

#include "steptree/detail/coreref.hpp"

namespace steptree::detail {

/// A tool that several threads drive is this thread's while this lives.
class ToolCore::Visit {
  public:
    explicit Visit(ToolCore& core) noexcept : core_(core), lock_(core.visits_) { core.lendHere(); }
    /// To drive it. InternalError while another thread is in one of its callbacks.
    Visit(ToolCore& core, const char* call) : core_(core), lock_(core.visits_, std::try_to_lock) {
        if (!lock_ && core.runsSomewhere()) drivenElsewhere(call);
        if (!lock_) lock_.lock();
        core.takesOver([] { return true; });
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
        if (core_->alive()) core_->leaveToAll();
    }

  private:
    CoreRef core_;
    std::unique_lock<std::mutex> lock_;
};

}  // namespace steptree::detail
