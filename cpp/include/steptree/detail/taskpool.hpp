#pragma once

#include <cstddef>
#include <new>

#include "steptree/detail/blockpool.hpp"

namespace steptree::detail {

/// Cells for the callbacks of one tool, cut from blocks of its pool, which gets them back as a
/// whole. Tool's thread only.
class TaskPool {
  public:
    static constexpr std::size_t kSize = 128;

    void* take(BlockPool& blocks) {
        if (free_ == nullptr) refill(blocks);
        Free* cell = free_;
        free_ = cell->next;
        return cell;
    }
    void give(void* cell) noexcept { free_ = ::new (cell) Free{free_}; }

  private:
    struct Free {
        Free* next;
    };
    static constexpr std::size_t kCells = 16;
    static constexpr std::size_t kSizeClass = [] {
        std::size_t sizeClass = 0;
        while (BlockPool::kSizes[sizeClass] < kCells * kSize) ++sizeClass;
        return sizeClass;
    }();

    void refill(BlockPool& blocks) {
        char* begin = static_cast<char*>(blocks.take(kSizeClass));
        for (std::size_t i = kCells; i-- > 0;) give(begin + i * kSize);
    }

    Free* free_ = nullptr;
};

}  // namespace steptree::detail
