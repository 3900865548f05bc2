#pragma once

#include <cstddef>
#include <cstdint>

#include "fast.hpp"
#include "steptree/detail/toolcore.hpp"

namespace steptree::detail {

struct Line;
struct Pin;

/// At the end of a block that an arena took when what it had was full.
struct Block {
    char* begin;
    std::uintptr_t previous;  // the arena's end before
    std::uint32_t base;       // its position
    std::uint32_t origin;  // the pool's size class; or kHeap + size; or size, that no class fits;
                           // or kPin
};

/// Bump allocation with stack discipline for the steps of one line: reset() gives back all that
/// came after a mark, but for an empty block now and then. It begins with the rest of the block
/// that its line is in, or with nothing; further blocks come from the tool's pool, on another
/// thread than the tool's from the heap.
///
/// A mark is a position: a count of 8 bytes over all that the arena has, and one more a block.
///
///     position = (address - arena) / 8 in the first part, base + 1 + (address - begin) / 8 in a
///     block
class Arena {
  public:
    static constexpr std::uint32_t kHeap = 0x8000'0000;
    static constexpr std::uint32_t kPin = 0xFFFF'FFFF;
    static constexpr std::uint32_t kLittle = 32;

    Arena() noexcept = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The first part: behind the arena, in one object with it.
    void embed(void* begin, void* end) noexcept {
        bump_ = static_cast<char*>(begin);
        end_ = reinterpret_cast<std::uintptr_t>(end);
    }

    /// `size` is a multiple of 8; so is the address.
    void* allocate(Line& line, std::size_t size) {
        reserve(line, size);
        return take(size);
    }

    /// And one more in a block, which is less than what is asked for counts in.
    std::size_t left() const noexcept { return end_ - reinterpret_cast<std::uintptr_t>(bump_); }
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
        return small() ? position(this, bump_)
                       : block()->base + 1 + position(block()->begin, bump_);
    }

    void reset(ToolCore& core, std::uint32_t mark) noexcept {
        if (small()) {
            bump_ = reinterpret_cast<char*>(this) + (std::size_t{mark} << 3);
        } else if (mark > block()->base) {
            bump_ = block()->begin + (std::size_t{mark - block()->base - 1} << 3);
        } else if (stays(mark)) {
            bump_ = block()->begin;
        } else {
            shrink(core, mark);
        }
    }

    /// Has taken no block.
    bool small() const noexcept { return (end_ & kInBlock) == 0; }

    /// Holds nothing, if `begin` is that of embed().
    bool isAt(const void* begin) const noexcept { return bump_ == begin; }

    /// Gives all back: `begin` is that of embed().
    void clear(ToolCore& core, void* begin) noexcept {
        if (kSmallArena && small()) [[likely]] {
            bump_ = static_cast<char*>(begin);
        } else {
            giveBack(core, begin);
        }
    }

    /// What it has now stays where it is till the pin's operation has ended.
    void pin(Pin& pin) noexcept;
    /// Gives back what an arena had that ends there, up to a pin that holds.
    static void dropFrom(ToolCore& core, std::uintptr_t end) noexcept;

  private:
    static std::uint32_t position(const void* from, const char* to) noexcept {
        return static_cast<std::uint32_t>((to - static_cast<const char*>(from)) >> 3);
    }
    /// A block stays, empty, where little is free before it: what needed it may come again at once.
    bool stays(std::uint32_t mark) const noexcept {
        const Block* const before = blockAt(block()->previous);
        return block()->base - mark <= kLittle && (before == nullptr || mark > before->base);
    }
    /// Null: the end of the first part.
    static Block* blockAt(std::uintptr_t end) noexcept {
        return (end & kInBlock) != 0 ? reinterpret_cast<Block*>(end - kInBlock) : nullptr;
    }
    /// The last one, of an arena that isn't small.
    Block* block() const noexcept { return reinterpret_cast<Block*>(end_ - kInBlock); }
    void grow(Line& line, std::size_t size);
    void drop(ToolCore& core) noexcept;
    static std::uintptr_t drop(ToolCore& core, const Block& block) noexcept;
    void shrink(ToolCore& core, std::uint32_t mark) noexcept;
    void giveBack(ToolCore& core, void* begin) noexcept;

    static constexpr std::uintptr_t kInBlock = 1;

    char* bump_ = reinterpret_cast<char*>(this);
    std::uintptr_t end_ = reinterpret_cast<std::uintptr_t>(this);  // + kInBlock: a Block is there
};

}  // namespace steptree::detail
