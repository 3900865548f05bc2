#pragma once

#include <cstddef>
#include <cstdint>

#include "steptree/detail/toolcore.hpp"

namespace steptree::detail {

/// Header of a block of an arena. Positions are counted in units of 8 bytes over all its blocks.
///
///     position = base + (address - block) / 8;   0 = before any block
///
/// The end of a full block and the base of the next one are one position; as a mark it is the end.
struct Block {
    Block* previous;
    std::uint32_t base;
    std::uint32_t origin;  // the pool's size class; or kHeap + size; or size, from the provider
};

/// Bump allocation with stack discipline for the steps of one line: reset() gives back all that
/// came after a mark. Blocks come from the tool's pool, on another thread than the tool's from the
/// heap.
class Arena {
  public:
    static constexpr std::uint32_t kHeap = 0x8000'0000;

    Arena() noexcept = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The first block is part of something larger.
    void embed(Block& block, void* end) noexcept {
        block = {nullptr, 1, 0};
        block_ = &block;
        bump_ = reinterpret_cast<char*>(&block + 1);
        end_ = static_cast<char*>(end);
    }

    /// `size` is a multiple of 8; so is the address.
    void* allocate(ToolCore& core, std::size_t size) {
        if (static_cast<std::size_t>(end_ - bump_) < size) grow(core, size);
        char* place = bump_;
        bump_ += size;
        return place;
    }

    std::uint32_t mark() const noexcept {
        if (block_ == nullptr) return 0;
        return block_->base +
               static_cast<std::uint32_t>((bump_ - reinterpret_cast<char*>(block_)) >> 3);
    }

    void reset(ToolCore& core, std::uint32_t mark) noexcept {
        if (block_ == nullptr) return;
        if (mark <= block_->base) shrink(core, mark);
        if (block_ != nullptr) {
            bump_ = reinterpret_cast<char*>(block_) + (std::size_t{mark - block_->base} << 3);
        }
    }

    /// The position behind the header of an embedded block.
    static constexpr std::uint32_t kStart = 1 + sizeof(Block) / 8;

  private:
    void grow(ToolCore& core, std::size_t size);
    void shrink(ToolCore& core, std::uint32_t mark) noexcept;

    char* bump_ = nullptr;
    char* end_ = nullptr;
    Block* block_ = nullptr;
};

}  // namespace steptree::detail
