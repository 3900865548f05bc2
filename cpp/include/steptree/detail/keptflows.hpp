#pragma once

#include <utility>

#include "steptree/detail/list.hpp"

namespace steptree::detail {

/// Flows that are idle and nobody's, still as new ones are: for the next ones. Tool's thread only.
/// `prev` strings them together: an idle flow is in no list.
class KeptFlows {
  public:
    explicit KeptFlows(bool keeps) noexcept : keeps_(keeps) {}

    /// Null: there is none.
    Link* take() noexcept {
        Link* const flow = first_;
        if (flow != nullptr) first_ = flow->prev;
        return flow;
    }
    /// False: it isn't kept.
    bool keep(Link& flow) noexcept {
        if (!keeps_) return false;
        flow.prev = std::exchange(first_, &flow);
        return true;
    }
    /// From now on none is kept.
    void close() noexcept { keeps_ = false; }

  private:
    Link* first_ = nullptr;
    bool keeps_;
};

}  // namespace steptree::detail
