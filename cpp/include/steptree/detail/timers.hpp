#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "steptree/detail/list.hpp"

namespace steptree::detail {

/// A timer: fires once. From `arm` till the tool looks at its clock, at the end of the callback at
/// the latest, `due` may be ~ of the delay.
struct TimerNode : Link {
    std::int64_t due = 0;
    void (*fire)(TimerNode*) noexcept = nullptr;

    bool armed() const noexcept { return linked(); }
    /// Until it is due; 0 if it is late.
    std::int64_t left(std::int64_t now) const noexcept;
};

/// When timers that are armed now count from.
struct Moment {
    std::int64_t floor;
    std::int64_t ceiling;
};

/// Hierarchical timer wheel over whole milliseconds: O(1) add and remove, firing order (due, order
/// of adding).
///
/// Timers within the current block of 1024 ms stand in a slot of their own millisecond; those
/// further off in the level of the highest base-64 digit, above that block, in which their due time
/// differs from the wheel's time. So all timers of one due time share one slot at any moment and
/// move down together, which keeps their order.
class Wheel {
  public:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    /// `node.due` must be set and not lie before the time of the last advance().
    void add(TimerNode& node) noexcept;
    static void remove(TimerNode& node) noexcept { List<TimerNode>::unlink(node); }
    /// `by`, which isn't armed, fires when the other one would have.
    static void replace(TimerNode& node, TimerNode& by) noexcept {
        by.due = node.due;
        List<TimerNode>::replace(node, by);
    }

    /// Moves the wheel to `now` and appends what is due then to `expired`, in firing order.
    void advance(std::int64_t now, List<TimerNode>& expired) noexcept;

    /// Moves the wheel to `now`; the first timer that is due then, which stays armed, or null.
    TimerNode* due(std::int64_t now) noexcept;

    /// No timer is armed. May still be false after the last one was removed.
    bool idle() const noexcept { return (nearWords_ | farLevels_) == 0; }

    /// When to advance next: never later than the first due time, earlier only where very many
    /// timers lie close together, or have. kNever without timers.
    std::int64_t next() noexcept;

    /// How many are armed; looks at each.
    std::size_t count() const noexcept;

    /// Everything, in no order, for a tool that closes.
    void drain(List<TimerNode>& into) noexcept;

  private:
    static constexpr int kNearBits = 10;
    static constexpr int kNear = 1 << kNearBits;
    static constexpr int kDigitBits = 6;
    static constexpr int kSlots = 1 << kDigitBits;
    static constexpr int kLevels = 9;  // 10 bits and 9 digits of 6 hold any time

    static constexpr int shift(int level) noexcept { return kNearBits + kDigitBits * level; }

    int firstNear() noexcept;
    bool firstFar(int& level, int& slot) noexcept;
    std::uint64_t nearStart(int slot) const noexcept;
    std::uint64_t farStart(int level, int slot) const noexcept;

    // A bit may outlive its slot's last timer; firstNear() and firstFar() drop it.
    std::uint64_t time_ = 0;
    std::uint32_t nearWords_ = 0;  // which words of nearUsed_ aren't 0
    std::uint32_t farLevels_ = 0;  // which of farUsed_ aren't 0
    std::uint64_t nearUsed_[kNear / 64] = {};
    std::uint64_t farUsed_[kLevels] = {};
    // Slots that had too many to look at: next() is their start.
    std::uint64_t crowded_[kLevels] = {};
    List<TimerNode> near_[kNear];
    List<TimerNode> far_[kLevels][kSlots];
};

inline std::int64_t TimerNode::left(std::int64_t now) const noexcept {
    return due == Wheel::kNever ? Wheel::kNever : std::max<std::int64_t>(due - now, 0);
}

}  // namespace steptree::detail
