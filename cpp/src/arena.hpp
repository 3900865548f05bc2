#pragma once

#include <cstddef>
#include <cstdint>

#include "steptree/detail/toolcore.hpp"

namespace steptree::detail {

struct Line;

/// Header of a block that an arena took when what it had was full.
struct Block {
    Block* previous;
    char* end;             // of what was full
    std::uint32_t base;    // the position of that end
    std::uint32_t origin;  // the pool's size class; or kHeap + size; or size, that no class fits
};

/// Bump allocation with stack discipline for the steps of one line: reset() gives back all that
/// came after a mark, but for an empty block now and then. It begins with the rest of the block
/// that its line is in, or with nothing; further blocks come from the tool's pool, on another
/// thread than the tool's from the heap.
///
/// A mark is a position: a count of 8 bytes over all that the arena has.
///
///     position = (address - arena) / 8 in the first part, base + (address - block) / 8 in a block
class Arena {
  public:
    static constexpr std::uint32_t kHeap = 0x8000'0000;
    static constexpr std::uint32_t kLittle = 32;

    Arena() noexcept = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The first part: behind the arena, in one object with it.
    void embed(void* begin, void* end) noexcept {
        bump_ = static_cast<char*>(begin);
        end_ = static_cast<char*>(end);
    }

    /// `size` is a multiple of 8; so is the address.
    void* allocate(Line& line, std::size_t size) {
        reserve(line, size);
        return take(size);
    }

    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - bump_); }
    bool fits(std::size_t size) const noexcept { return left() >= size; }
    void reserve(Line& line, std::size_t size) {
        if (!fits(size)) [[unlikely]]
            grow(line, size);
    }
    /// What fits.
    void* take(std::size_t size) noexcept {
        char* const place = bump_;
        bump_ += size;
        return place;
    }

    std::uint32_t mark() const noexcept {
        return block_ == nullptr ? position(this, bump_) : block_->base + position(block_, bump_);
    }

    void reset(ToolCore& core, std::uint32_t mark) noexcept {
        if (block_ == nullptr) {
            bump_ = reinterpret_cast<char*>(this) + (std::size_t{mark} << 3);
        } else if (mark > block_->base) {
            bump_ = reinterpret_cast<char*>(block_) + (std::size_t{mark - block_->base} << 3);
        } else if (stays(mark)) {
            bump_ = reinterpret_cast<char*>(block_ + 1);
        } else {
            shrink(core, mark);
        }
    }

    /// Has taken no block.
    bool small() const noexcept { return block_ == nullptr; }

    /// Holds nothing, if `begin` is that of embed().
    bool isAt(const void* begin) const noexcept { return bump_ == begin; }

    /// Gives all back: `begin` is that of embed().
    void clear(ToolCore& core, void* begin) noexcept {
        if (block_ == nullptr) [[likely]] {
            bump_ = static_cast<char*>(begin);
        } else {
            giveBack(core, begin);
        }
    }

  private:
    static std::uint32_t position(const void* from, const char* to) noexcept {
        return static_cast<std::uint32_t>((to - static_cast<const char*>(from)) >> 3);
    }
    /// A block stays, empty, where little is free before it: what needed it may come again at once.
    bool stays(std::uint32_t mark) const noexcept {
        return block_->base - mark <= kLittle &&
               (block_->previous == nullptr || mark > block_->previous->base);
    }
    void grow(Line& line, std::size_t size);
    void drop(ToolCore& core) noexcept;
    void shrink(ToolCore& core, std::uint32_t mark) noexcept;
    void giveBack(ToolCore& core, void* begin) noexcept;

    char* bump_ = reinterpret_cast<char*>(this);
    char* end_ = reinterpret_cast<char*>(this);
    Block* block_ = nullptr;
};

}  // namespace steptree::detail
