#pragma once

#include "steptree/detail/timers.hpp"

/// What guards of the program's own may take back.
namespace steptree::detail {

class Step;

/// A timer of a section that is armed from outside, whatever is open inside. No deadline: no
/// closing disarms it, so it looks itself, when it fires, whether the section ends anyway.
struct LeaseNode : TimerNode {
    explicit LeaseNode(Step& section);
    LeaseNode(const LeaseNode&) = delete;
    LeaseNode& operator=(const LeaseNode&) = delete;
    ~LeaseNode() { end(); }
    /// The section closes, or nobody can lose its lock any more.
    void end() noexcept;

    Step* section;  // null: it has closed
};

}  // namespace steptree::detail
