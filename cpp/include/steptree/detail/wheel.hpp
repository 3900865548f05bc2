#pragma once

#include <cstdint>
#include <limits>

#include "steptree/detail/list.hpp"

namespace steptree::detail {

/// A timer: fires once. Between `arm` and the end of the callback that armed it `due` still holds
/// the delay.
struct TimerNode : Link {
    std::int64_t due = 0;
    void (*fire)(TimerNode*) noexcept = nullptr;

    bool armed() const noexcept { return linked(); }
};

/// Hierarchical timer wheel over whole milliseconds: O(1) add and remove, firing order (due, order
/// of adding).
///
/// A timer stands in the level of the highest base-64 digit in which its due time differs from the
/// wheel's time. So all timers of one due time share one slot at any moment and move down together,
/// which keeps their order.
class Wheel {
  public:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    /// `node.due` must be set and not lie before the time of the last advance().
    void add(TimerNode& node) noexcept;
    static void remove(TimerNode& node) noexcept { List<TimerNode>::unlink(node); }

    /// Moves the wheel to `now` and appends what is due then to `expired`, in firing order.
    void advance(std::int64_t now, List<TimerNode>& expired) noexcept;

    /// When to advance next: never later than the first due time, earlier only where very many
    /// timers lie close together. kNever without timers.
    std::int64_t next() noexcept;

    /// Everything, in no order, for a tool that closes.
    void drain(List<TimerNode>& into) noexcept;

  private:
    static constexpr int kBits = 6;
    static constexpr int kSlots = 1 << kBits;
    static constexpr int kLevels = 11;  // 11 digits of 6 bits hold any 63-bit time

    int firstSlot(int level) noexcept;
    std::uint64_t slotStart(int level, int slot) const noexcept;

    std::uint64_t time_ = 0;
    std::uint64_t used_[kLevels] =
        {};  // a bit may outlive its last timer; firstSlot() drops it then
    List<TimerNode> slots_[kLevels][kSlots];
};

}  // namespace steptree::detail
