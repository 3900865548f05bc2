#pragma once

#include <algorithm>
#include <cstdint>

namespace steptree::detail {

/// How many bodies may run before somebody looks at the clock: that costs as much as a body. One,
/// for a while, after it was found that work takes long.
class BodyBudget {
  public:
    static constexpr std::uint32_t kFew = 16;
    static constexpr std::uint32_t kMost = 256;
    static constexpr std::uint32_t kWary = 64;

    explicit BodyBudget(std::uint32_t limit) noexcept : limit_(limit), left_(limit) {}

    std::uint32_t left() const noexcept { return left_; }
    std::uint32_t spent() const noexcept { return limit_ - left_; }
    /// True: that was the last.
    bool spend(std::uint32_t bodies) noexcept {
        left_ -= bodies;
        return left_ == 0;
    }
    void refill() noexcept { left_ = limit_; }

    bool isTightest() const noexcept { return limit_ == 1; }
    /// Bodies have proved slow.
    bool isTight() const noexcept { return limit_ < kMost; }
    /// Not even a few have run of those that quick ones may.
    bool isFresh() const noexcept { return left_ > kMost - kFew; }

    /// Refills it for a reading every `interval`, as those that were spent went, in `elapsed`; at
    /// least one in kMost bodies. After a pause bodies may seem slow, which is put right soon; but
    /// `slow`, they were: it is one body a reading, till kWary readings in a row found none slow.
    void tune(std::int64_t elapsed, std::int64_t interval, bool slow) noexcept {
        if (slow) wary_ = kWary;
        if (spent() == 0) return;
        if (wary_ > 0) {
            --wary_;
            limit_ = 1;
            return refill();
        }
        const std::int64_t each = elapsed / spent() + 1;
        const auto fitting =
            static_cast<std::uint32_t>(std::clamp<std::int64_t>(interval / each, 1, kMost));
        limit_ = std::min(fitting, limit_ * 2);
        refill();
    }

  private:
    std::uint32_t limit_;
    std::uint32_t left_;
    std::uint32_t wary_ = kFew / 2;
};

}  // namespace steptree::detail
