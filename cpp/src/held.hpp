#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "steptree/stallwatch.hpp"
#include "tree.hpp"

/// The body that a tool's thread runs, for another thread, which reads it while that can't answer:
/// in memory of a fixed size, written before the body is called. No thread waits for the other: who
/// has read while it was written reads again.
namespace steptree::detail {

class HeldBody {
  public:
    // ---- the tool's thread
    /// The step's body is called next.
    void begins(Step& step, std::int64_t began) noexcept;
    void ends() noexcept;

    // ---- the other one
    /// When it began, in nanoseconds; 0: none runs.
    std::int64_t began() const noexcept { return words_[0].load(std::memory_order_acquire); }
    /// Which it is, if it's the one that began then. Throws bad_alloc.
    bool read(std::int64_t began, StuckBody& into) const;
    /// Changes with each of them.
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

  private:
    static constexpr std::size_t kName = 128;
    static constexpr std::size_t kPath = 384;
    /// When it began, its flow, how long both texts are, and these.
    static constexpr std::size_t kTexts = 3;
    static constexpr std::size_t kWords = kTexts + (kName + kPath) / 8;

    void write(std::size_t word, std::int64_t value) noexcept {
        words_[word].store(value, std::memory_order_release);
    }
    void writeText(std::size_t word, std::string_view text) noexcept;

    std::atomic<std::uint64_t> version_{0};  // odd: it's being written
    std::array<std::atomic<std::int64_t>, kWords> words_{};
};

}  // namespace steptree::detail
