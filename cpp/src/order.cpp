#include "order.hpp"

#include "pass.hpp"
#include "tooltask.hpp"

/// What comes next on a tool whose order is chosen: a pass takes one node, a round one timer.
namespace steptree::detail {

/// A line, or what begins several; else it is an immediate, or tells an end.
bool ToolCore::isLine(const RunNode& node) const noexcept {
    return !ToolTask::isTask(node) && !engine.isEnd(node);
}

std::size_t ToolCore::alternatives() noexcept {
    become(Mode::runs);
    looked_ = time_;
    begin();
    std::size_t count = wheel_.due(time_) != nullptr ? 1 : 0;
    bool callback = false;
    for (const RunNode* node = queue_.front(); node != nullptr; node = queue_.after(*node)) {
        if (isLine(*node) || !std::exchange(callback, true)) ++count;
    }
    become(idle_);
    return count;
}

bool ToolCore::passOf(std::size_t choice) noexcept {
    if (TimerNode* const timer = wheel_.due(time_)) {
        if (choice-- == 0) return fireOne(*timer);
    }
    bool callback = false;
    for (RunNode* node = queue_.front(); node != nullptr; node = queue_.after(*node)) {
        if (!isLine(*node) && std::exchange(callback, true)) continue;
        if (choice-- != 0) continue;
        queue_.bringForward(*node);
        break;
    }
    return pass();
}

bool ToolCore::fireOne(TimerNode& timer) noexcept {
    become(runs());
    Wheel::remove(timer);
    timer.fire(&timer);
    ended();
    return !gone();
}

}  // namespace steptree::detail
