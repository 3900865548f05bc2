#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

/// Names, codes and elements in memory of a fixed size: what comes takes the place of what is
/// oldest. One that comes again and again is there once.
namespace steptree::detail {

class Texts {
  public:
    /// 0: ''. Else where it begins, + 1; it counts on when it begins anew, and 2^32 is 0.
    using Ref = std::uint32_t;

    static constexpr std::size_t kMost = 256;  // bytes of one
    /// A power of two.
    static std::size_t roomFor(std::size_t events) noexcept;

    explicit Texts(std::size_t room)
        : room_(static_cast<std::uint32_t>(room)), bytes_(new char[room + kMost]()) {}

    /// Good as long as it isn't gone, whoever has noted it before.
    Ref note(std::string_view text) noexcept;
    std::string_view at(Ref ref) const noexcept;

    /// After what was noted up to now.
    std::uint32_t end() const noexcept { return end_; }
    /// Whether something may be gone that was good at that end.
    bool isGone(std::uint32_t end) const noexcept { return end_ - end > room_ / 2 - 4 * kMost; }

  private:
    bool isRecent(Ref ref) const noexcept { return end_ - ref < room_ / 2; }
    Ref write(std::string_view text) noexcept;

    const std::uint32_t room_;
    const std::unique_ptr<char[]> bytes_;
    std::uint32_t end_ = 0;
    std::array<Ref, 256> known_{};  // by their hash
};

/// Of more than 64 characters the first 63 and `…`, in `into`.
std::string_view shortened(std::string_view text, std::array<char, Texts::kMost>& into) noexcept;

}  // namespace steptree::detail
