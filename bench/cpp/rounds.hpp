#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace bench {

/// Hands what waits from the loop's thread to the one that completes it, a round at a time: the
/// next round's are collected while this round's are completed.
template <class Item>
class Rounds {
  public:
    explicit Rounds(std::size_t size) : size_(size) {
        for (std::vector<Item>& items : items_) items.reserve(size);
    }

    /// The loop's thread. The last one of a round ends it.
    void add(Item item) {
        std::vector<Item>& items = items_[collecting_ % 2];
        items.push_back(std::move(item));
        if (items.size() < size_) return;
        ++collecting_;
        ready_.store(collecting_, std::memory_order_release);
        ready_.notify_one();
    }

    /// The other thread: waits for a full round and completes all of it.
    template <class Complete>
    void complete(Complete complete) {
        ready_.wait(completed_, std::memory_order_acquire);
        std::vector<Item> items = std::move(items_[completed_ % 2]);
        items_[completed_ % 2] = std::move(spare_);
        items_[completed_ % 2].reserve(size_);
        ++completed_;
        for (Item& item : items) complete(item);
        items.clear();
        spare_ = std::move(items);
    }

    /// The other thread: waits for a full round and leaves it there.
    void await() { ready_.wait(completed_, std::memory_order_acquire); }

  private:
    std::size_t size_;
    std::vector<Item> items_[2];
    std::vector<Item> spare_;
    std::size_t collecting_ = 0;
    std::size_t completed_ = 0;
    std::atomic<std::size_t> ready_{0};
};

/// How many wait in a round.
inline constexpr std::size_t kRound = 1000;

}  // namespace bench
