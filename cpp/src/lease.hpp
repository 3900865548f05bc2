#pragma once

#include <string>

#include "steptree/detail/timers.hpp"

/// What guards of the program's own may take back.
namespace steptree::detail {

class Step;

/// A timer of a section that is armed from outside, whatever is open inside. No deadline: no
/// closing disarms it, so it looks itself, when it fires, whether the section ends anyway.
struct LeaseNode : TimerNode {
    explicit LeaseNode(Step& section) noexcept;
    LeaseNode(const LeaseNode&) = delete;
    LeaseNode& operator=(const LeaseNode&) = delete;
    ~LeaseNode() { end(); }
    /// The section closes, or nobody can lose its lock any more.
    void end() noexcept;
    /// The section loses its lock in so many milliseconds.
    void lose(std::int64_t ms) noexcept;

    Step* section;               // null: it has closed
    LeaseNode** from = nullptr;  // by which a guard of the program's own finds it
    // Of a guard of the runtime, which is named; null: it's none.
    const std::string* name = nullptr;
    const char* kind = nullptr;
    const char* why = nullptr;
};

}  // namespace steptree::detail
