#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

/// What a server reads while the tool's thread can't answer: the turn that runs.
namespace steptree::detail::inspecting {

/// Texts by numbers, from 1 on; 0 is unknown. They are added by one thread, and read by any.
class Texts {
  public:
    /// So many are known by number; others by none.
    static constexpr std::size_t kMost = 4000;

    std::uint32_t numberOf(const std::string& text) {
        if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
        const std::uint32_t number = add(text);
        if (number != 0) numbers_.emplace(text, number);
        return number;
    }

    std::string at(std::uint32_t number) const {
        const std::lock_guard lock(mutex_);
        return number > 0 && number <= texts_.size() ? texts_[number - 1] : std::string();
    }

  private:
    /// If its number gets lost it stays: the next one has another.
    std::uint32_t add(const std::string& text) {
        const std::lock_guard lock(mutex_);
        if (texts_.size() == kMost) return 0;
        texts_.push_back(text);
        return static_cast<std::uint32_t>(texts_.size());
    }

    std::unordered_map<std::string, std::uint32_t> numbers_;  // of who adds them
    mutable std::mutex mutex_;
    std::deque<std::string> texts_;
};

/// Written by the tool's thread. Who reads it while another turn begins gets some of both, and
/// nothing worse.
struct HeldTurn {
    std::atomic<double> began{0};  // in real time; 0: none runs
    std::atomic<std::uint64_t> flow{0};
    std::atomic<std::uint32_t> name{0};
    std::atomic<std::uint32_t> path{0};  // of the step that was opened last
    Texts texts;
};

}  // namespace steptree::detail::inspecting
