#pragma once

#include <bit>
#include <cstdint>

namespace steptree::detail {

/// The numbers of a tool: xoshiro128**, begun with four words of splitmix32. Exact in 32 bits, so
/// that one seed gives one sequence in every language. [tool-32]
class Random {
  public:
    Random() noexcept = default;
    explicit Random(std::uint32_t seed) noexcept {
        for (std::uint32_t& word : words_) word = mix(seed += 0x9e3779b9U);
    }

    /// Whether it has been given a seed.
    explicit operator bool() const noexcept {
        return (words_[0] | words_[1] | words_[2] | words_[3]) != 0;
    }

    std::uint32_t next() noexcept {
        const std::uint32_t word = std::rotl(words_[1] * 5, 7) * 9;
        const std::uint32_t shifted = words_[1] << 9;
        words_[2] ^= words_[0];
        words_[3] ^= words_[1];
        words_[1] ^= words_[2];
        words_[0] ^= words_[3];
        words_[2] ^= shifted;
        words_[3] = std::rotl(words_[3], 11);
        return word;
    }

  private:
    static std::uint32_t mix(std::uint32_t word) noexcept {
        word = (word ^ (word >> 16)) * 0x21f0aaadU;
        word = (word ^ (word >> 15)) * 0x735a2d97U;
        return word ^ (word >> 15);
    }

    std::uint32_t words_[4] = {};
};

}  // namespace steptree::detail
