#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flowentry.hpp"
#include "messages.hpp"

/// Which flows a page asks for, and in which order.
namespace steptree::detail::inspecting {

class FlowFilter {
  public:
    /// At that time of the tool.
    FlowFilter(const View& view, std::int64_t now);
    /// Whether it's among those.
    bool operator()(const FlowEntry& entry) const;

  private:
    const View& view_;
    const std::int64_t now_;
    std::vector<std::string> words_;
};

/// What is less stands before what is more, of the same the older one; what isn't known comes last.
class FlowOrder {
  public:
    explicit FlowOrder(const View& view) noexcept : view_(view) {}
    bool operator()(const FlowEntry* a, const FlowEntry* b) const;

  private:
    std::int64_t keyOf(const FlowEntry& entry) const noexcept;

    const View& view_;
};

}  // namespace steptree::detail::inspecting
