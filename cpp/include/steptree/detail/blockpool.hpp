#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "steptree/imempool.hpp"

namespace steptree::detail {

/// The memory of the flows and callbacks of one tool: free lists of a few sizes, no locks; tool's
/// thread only. Small blocks are cut from slabs and stay in the pool; of the largest ones only some
/// are kept. A pool of the user's takes the place of all this: then nothing is ever free here.
///
/// A callback is a whole cache line. Larger sizes are no powers of two: blocks of which
/// only the begin is touched would fight for the same cache sets.
class BlockPool {
  public:
    static constexpr std::array<std::uint32_t, 7> kSizes{40, 64, 128, 272, 592, 2128, 16432};
    static constexpr std::size_t kValues = 0;  // of a line
    static constexpr std::size_t kTask = 1;
    static constexpr std::size_t kLargeTask = 2;
    static constexpr std::size_t kFlow = 3;
    static constexpr std::size_t kError = 3;
    static constexpr std::size_t kEnd = 3;

    static constexpr std::size_t kLargest = kSizes.size() - 1;

    explicit BlockPool(IMemPool* replacement = nullptr) noexcept : replacement_(replacement) {}
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;
    ~BlockPool();

    /// The one that a tool uses which is made with `given`, or null.
    static IMemPool* chosen(IMemPool* given) noexcept;

    void* take(std::size_t sizeClass) {
        Free* block = free_[sizeClass];
        if (block == nullptr) return refill(sizeClass);
        free_[sizeClass] = block->next;
        if (sizeClass == kLargest) --large_;
        return block;
    }

    void give(void* block, std::size_t sizeClass) noexcept {
        if (sizeClass == kLargest || isReplaced()) [[unlikely]] {
            return giveBack(block, sizeClass);
        }
        keep(block, sizeClass);
    }

    /// There is a free block of that size.
    void warm(std::size_t sizeClass) {
        if (free_[sizeClass] == nullptr && !isReplaced()) give(refill(sizeClass), sizeClass);
    }

    /// What no size class fits; never null.
    void* obtain(std::size_t size);
    void putBack(void* block, std::size_t size) noexcept;

    /// Blocks can't be given on another thread.
    bool isReplaced() const noexcept { return replacement_ != nullptr; }
    /// By a pool of the program's.
    bool isUsers() const noexcept;

    /// Gives back the slabs of which no block is in use.
    void releaseMemory() noexcept;

  private:
    struct Free {
        Free* next;
    };
    struct Slab {
        Slab* next;
        std::size_t sizeClass;

        /// At the begin of a cache line, and so as aligned as the heap's.
        char* blocks() noexcept {
            const auto end = reinterpret_cast<std::uintptr_t>(this + 1);
            return reinterpret_cast<char*>((end + kLine - 1) / kLine * kLine);
        }
    };
    static constexpr std::size_t kLine = 64;
    static constexpr std::size_t kSlab = 32 * 1024;
    static constexpr std::uint32_t kMostLarge = 64;

    static constexpr std::size_t blocksOfSlab(std::size_t sizeClass) noexcept {
        return (kSlab - sizeof(Slab) - kLine) / kSizes[sizeClass];
    }
    void keep(void* block, std::size_t sizeClass) noexcept {
        free_[sizeClass] = ::new (block) Free{free_[sizeClass]};
    }
    void* refill(std::size_t sizeClass);
    void giveBack(void* block, std::size_t sizeClass) noexcept;
    void freeLarge() noexcept;

    std::array<Free*, kSizes.size()> free_{};
    Slab* slabs_ = nullptr;
    std::uint32_t large_ = 0;  // free blocks of the largest size
    IMemPool* replacement_;
};

}  // namespace steptree::detail
