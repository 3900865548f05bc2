#pragma once

#include <cstddef>
#include <new>

namespace steptree::detail {

/// Cells for the callbacks of one tool. Tool's thread only; the memory goes with the tool's core.
class TaskPool {
  public:
    static constexpr std::size_t kSize = 128;

    TaskPool() noexcept = default;
    TaskPool(const TaskPool&) = delete;
    TaskPool& operator=(const TaskPool&) = delete;
    ~TaskPool() {
        while (Free* slab = slabs_) {
            slabs_ = slab->next;
            ::operator delete(slab);
        }
    }

    void* take() {
        if (free_ == nullptr) refill();
        Free* cell = free_;
        free_ = cell->next;
        return cell;
    }
    void give(void* cell) noexcept { free_ = ::new (cell) Free{free_}; }

  private:
    struct alignas(std::max_align_t) Free {
        Free* next;
    };
    static constexpr std::size_t kCells = 63;

    void refill() {
        char* slab = static_cast<char*>(::operator new(sizeof(Free) + kCells * kSize));
        slabs_ = ::new (slab) Free{slabs_};
        for (std::size_t i = kCells; i-- > 0;) give(slab + sizeof(Free) + i * kSize);
    }

    Free* free_ = nullptr;
    Free* slabs_ = nullptr;
};

}  // namespace steptree::detail
