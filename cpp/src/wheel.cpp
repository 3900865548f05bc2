#include "steptree/detail/wheel.hpp"

#include <algorithm>
#include <bit>

namespace steptree::detail {

// Invariant: a timer of level l > 0 agrees with time_ in all digits above l and has a bigger digit
// l; one of level 0 has digit 0 equal or bigger. So the lowest level in use holds the earliest
// timer, in its first slot.

namespace {
constexpr std::uint64_t digit(std::uint64_t time, int level) noexcept {
    return (time >> (6 * level)) & 63;
}
}  // namespace

void Wheel::add(TimerNode& node) noexcept {
    const std::uint64_t due = std::max(static_cast<std::uint64_t>(node.due), time_);
    const std::uint64_t difference = due ^ time_;
    const int level = difference == 0 ? 0 : (std::bit_width(difference) - 1) / kBits;
    const std::uint64_t slot = digit(due, level);
    used_[level] |= std::uint64_t{1} << slot;
    slots_[level][slot].push(node);
}

void Wheel::advance(std::int64_t now, List<TimerNode>& expired) noexcept {
    const auto target = static_cast<std::uint64_t>(now);
    while (target >= time_) {
        for (int slot = firstSlot(0); slot >= 0; slot = firstSlot(0)) {
            if (slotStart(0, slot) > target) break;
            expired.append(slots_[0][slot]);
        }
        int level = 1;
        int slot = -1;
        while (level < kLevels && (slot = firstSlot(level)) < 0) ++level;
        if (slot < 0 || slotStart(level, slot) > target || firstSlot(0) >= 0) {
            time_ = target;
            return;
        }
        time_ = slotStart(level, slot);
        List<TimerNode> moving;
        moving.append(slots_[level][slot]);
        while (TimerNode* node = moving.pop()) add(*node);
    }
}

std::int64_t Wheel::next() noexcept {
    for (int level = 0; level < kLevels; ++level) {
        const int slot = firstSlot(level);
        if (slot < 0) continue;
        const auto start = static_cast<std::int64_t>(slotStart(level, slot));
        if (level == 0) return start;
        // Few timers: look at each, so that an idle tool isn't woken for nothing.
        const List<TimerNode>& list = slots_[level][slot];
        std::int64_t first = kNever;
        int budget = 32;
        for (const TimerNode* node = list.front(); node != nullptr; node = list.after(*node)) {
            if (budget-- == 0) return start;
            first = std::min(first, node->due);
        }
        return first;
    }
    return kNever;
}

void Wheel::drain(List<TimerNode>& into) noexcept {
    for (auto& level : slots_)
        for (auto& slot : level) into.append(slot);
}

int Wheel::firstSlot(int level) noexcept {
    while (used_[level] != 0) {
        const int slot = std::countr_zero(used_[level]);
        if (!slots_[level][slot].empty()) return slot;
        used_[level] &= used_[level] - 1;
    }
    return -1;
}

std::uint64_t Wheel::slotStart(int level, int slot) const noexcept {
    const int above = kBits * (level + 1);
    const std::uint64_t upper = above >= 64 ? 0 : time_ >> above << above;
    return upper | static_cast<std::uint64_t>(slot) << (kBits * level);
}

}  // namespace steptree::detail
