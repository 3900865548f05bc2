#include <mutex>

#include "steptree/detail/toolcore.hpp"

/// All tools of the process.
namespace steptree::detail {

namespace {

constinit std::mutex allTools;
constinit ToolCore* lastTool = nullptr;

}  // namespace

/// A pass leaves no trace with its thread, which would cost more than all else in it: who wants to
/// know whether this one is within a pass looks at all tools.
void ToolCore::join() noexcept {
    const std::lock_guard lock(allTools);
    before_ = lastTool;
    if (before_ != nullptr) before_->next_ = this;
    lastTool = this;
}

ToolCore::~ToolCore() {
    const std::lock_guard lock(allTools);
    if (before_ != nullptr) before_->next_ = next_;
    (next_ == nullptr ? lastTool : next_->before_) = before_;
}

bool ToolCore::serving() noexcept {
    const std::lock_guard lock(allTools);
    for (ToolCore* tool = lastTool; tool != nullptr; tool = tool->before_) {
        const std::lock_guard adopting(tool->adoption());
        if (tool->onOwnThread() && tool->inCallback()) return true;
    }
    return false;
}

}  // namespace steptree::detail
