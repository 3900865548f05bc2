#include "steptree/detail/timers.hpp"

#include <algorithm>
#include <bit>

namespace steptree::detail {

// Invariant: a timer of far level l agrees with time_ in all bits above digit l and has a bigger
// digit l; a near one agrees in all bits above the near ones. So near timers come before far ones,
// and those of a level before those of the next.

void Wheel::add(TimerNode& node) noexcept {
    const std::uint64_t due = std::max(static_cast<std::uint64_t>(node.due), time_);
    const std::uint64_t difference = due ^ time_;
    if (difference < kNear) {
        const std::uint64_t slot = due % kNear;
        nearUsed_[slot / 64] |= std::uint64_t{1} << (slot % 64);
        nearWords_ |= 1U << (slot / 64);
        near_[slot].push(node);
        return;
    }
    const int level = (std::bit_width(difference) - 1 - kNearBits) / kDigitBits;
    const std::uint64_t slot = (due >> shift(level)) % kSlots;
    farUsed_[level] |= std::uint64_t{1} << slot;
    farLevels_ |= 1U << level;
    far_[level][slot].push(node);
}

void Wheel::advance(std::int64_t now, List<TimerNode>& expired) noexcept {
    const auto target = static_cast<std::uint64_t>(now);
    while (target >= time_) {
        for (int slot = firstNear(); slot >= 0; slot = firstNear()) {
            if (nearStart(slot) > target) {
                time_ = target;
                return;
            }
            expired.append(near_[slot]);
        }
        int level = 0;
        int slot = 0;
        if (!firstFar(level, slot) || farStart(level, slot) > target) {
            time_ = target;
            return;
        }
        time_ = farStart(level, slot);
        crowded_[level] &= ~(std::uint64_t{1} << slot);
        List<TimerNode> moving;
        moving.append(far_[level][slot]);
        while (TimerNode* node = moving.pop()) add(*node);
    }
}

TimerNode* Wheel::due(std::int64_t now) noexcept {
    List<TimerNode> expired;
    advance(now, expired);
    while (TimerNode* node = expired.pop()) add(*node);
    return near_[time_ % kNear].front();
}

std::int64_t Wheel::next() noexcept {
    if (const int slot = firstNear(); slot >= 0) {
        return static_cast<std::int64_t>(nearStart(slot));
    }
    int level = 0;
    int slot = 0;
    if (!firstFar(level, slot)) return kNever;
    const auto start = static_cast<std::int64_t>(farStart(level, slot));
    const std::uint64_t bit = std::uint64_t{1} << slot;
    if ((crowded_[level] & bit) != 0) return start;
    // Few timers: look at each, so that an idle tool isn't woken for nothing.
    const List<TimerNode>& list = far_[level][slot];
    std::int64_t first = kNever;
    int budget = 32;
    for (const TimerNode* node = list.front(); node != nullptr; node = list.after(*node)) {
        if (budget-- == 0) {
            crowded_[level] |= bit;
            return start;
        }
        first = std::min(first, node->due);
    }
    return first;
}

std::size_t Wheel::count() const noexcept {
    std::size_t count = 0;
    for (const auto& slot : near_) count += slot.count();
    for (const auto& level : far_)
        for (const auto& slot : level) count += slot.count();
    return count;
}

void Wheel::drain(List<TimerNode>& into) noexcept {
    for (auto& slot : near_) into.append(slot);
    for (auto& level : far_)
        for (auto& slot : level) into.append(slot);
}

int Wheel::firstNear() noexcept {
    for (; nearWords_ != 0; nearWords_ &= nearWords_ - 1) {
        const int word = std::countr_zero(nearWords_);
        for (; nearUsed_[word] != 0; nearUsed_[word] &= nearUsed_[word] - 1) {
            const int slot = 64 * word + std::countr_zero(nearUsed_[word]);
            if (!near_[slot].empty()) return slot;
        }
    }
    return -1;
}

bool Wheel::firstFar(int& level, int& slot) noexcept {
    for (; farLevels_ != 0; farLevels_ &= farLevels_ - 1) {
        level = std::countr_zero(farLevels_);
        for (; farUsed_[level] != 0; farUsed_[level] &= farUsed_[level] - 1) {
            slot = std::countr_zero(farUsed_[level]);
            if (!far_[level][slot].empty()) return true;
            crowded_[level] &= ~(std::uint64_t{1} << slot);
        }
    }
    return false;
}

std::uint64_t Wheel::nearStart(int slot) const noexcept {
    return (time_ & ~std::uint64_t{kNear - 1}) | static_cast<std::uint64_t>(slot);
}

std::uint64_t Wheel::farStart(int level, int slot) const noexcept {
    const int above = shift(level + 1);
    const std::uint64_t upper = above >= 64 ? 0 : time_ >> above << above;
    return upper | static_cast<std::uint64_t>(slot) << shift(level);
}

}  // namespace steptree::detail
