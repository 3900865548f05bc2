#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace steptree::detail {

/// Where a pool gets memory from. One provider may serve the pools of several tools only if it is
/// thread-safe. Throws std::bad_alloc, or returns null, when it has nothing left.
class BlockProvider {
  public:
    virtual void* allocate(std::size_t size) = 0;
    virtual void release(void* block, std::size_t size) noexcept = 0;

    /// The heap. Thread-safe, never destroyed.
    static BlockProvider& heap() noexcept;

  protected:
    ~BlockProvider() = default;
};

/// The memory of the flows of one tool: free lists of a few sizes, no locks; tool's thread only.
/// Small blocks are cut from slabs and stay in the pool; of the largest ones only some are kept.
///
/// Sizes are no powers of two: blocks of such sizes would fight for the same cache sets.
class BlockPool {
  public:
    static constexpr std::array<std::uint32_t, 5> kSizes{40, 280, 592, 2128, 16432};
    static constexpr std::size_t kValues = 0;  // of a line
    static constexpr std::size_t kFlow = 1;
    static constexpr std::size_t kEnd = 2;

    static constexpr std::size_t kLargest = kSizes.size() - 1;

    explicit BlockPool(BlockProvider& provider = BlockProvider::heap()) noexcept
        : provider_(&provider) {}
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;
    ~BlockPool();

    void* take(std::size_t sizeClass) {
        Free* block = free_[sizeClass];
        if (block == nullptr) return refill(sizeClass);
        free_[sizeClass] = block->next;
        if (sizeClass == kLargest) --large_;
        return block;
    }

    /// A block that is free already, or null.
    void* reuse(std::size_t sizeClass) noexcept {
        Free* block = free_[sizeClass];
        if (block != nullptr) free_[sizeClass] = block->next;
        return block;
    }

    void give(void* block, std::size_t sizeClass) noexcept {
        if (sizeClass == kLargest && !keepsLarge()) {
            provider_->release(block, kSizes[sizeClass]);
            return;
        }
        free_[sizeClass] = ::new (block) Free{free_[sizeClass]};
    }

    /// What no size class fits, straight from the provider; never null.
    void* obtain(std::size_t size);
    BlockProvider& provider() const noexcept { return *provider_; }

  private:
    struct Free {
        Free* next;
    };
    struct Slab {
        Slab* next;
    };
    static constexpr std::size_t kSlab = 32 * 1024;
    static constexpr std::size_t kSlabHeader = 16;  // keeps blocks as aligned as the heap's
    static constexpr std::uint32_t kMostLarge = 64;

    bool keepsLarge() noexcept {
        if (large_ >= kMostLarge) return false;
        ++large_;
        return true;
    }
    void* refill(std::size_t sizeClass);

    std::array<Free*, kSizes.size()> free_{};
    Slab* slabs_ = nullptr;
    std::uint32_t large_ = 0;  // free blocks of the largest size
    BlockProvider* provider_;
};

}  // namespace steptree::detail
