#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "steptree/abi.hpp"

namespace steptree {

/// How a Throttle counts.
enum class ThrottleAlgorithm : std::uint8_t {
    fixed,    // windows of a period: up to twice `max` in one period around a window's end
    sliding,  // never more than `max` in any period
    bucket    // `max` a period on the average, and up to `burst` at once after a rest
};

namespace detail {

/// When a throttle lets the next one in. All in whole numbers, so that every implementation admits
/// at the same milliseconds. Visible is what other libraries of this project call.
class Admission {
  public:
    STEPTREE_VISIBLE Admission(ThrottleAlgorithm algorithm, std::int64_t max, std::int64_t period,
                               std::int64_t burst);

    /// Lets one in, if it may enter at that time.
    STEPTREE_VISIBLE bool admit(std::int64_t now);
    /// The one that was let in last, at that time, has not entered.
    void takeBack(std::int64_t now) noexcept;
    /// A timer has fired while somebody waits.
    STEPTREE_VISIBLE void tick(std::int64_t now) noexcept;
    /// Whether what entered before doesn't count any more.
    bool isNew(std::int64_t now) noexcept;
    /// How long till the next may enter, when none may now; 0 by a clock that is ahead of that.
    STEPTREE_VISIBLE std::int64_t delay(std::int64_t now) const noexcept;

  private:
    std::int64_t nextEntry() const noexcept;
    bool admitFixed(std::int64_t now) noexcept;
    bool admitSliding(std::int64_t now);
    bool admitBucket(std::int64_t now) noexcept;
    void fill(std::int64_t now) noexcept;

    const ThrottleAlgorithm algorithm_;
    const std::int64_t max_;
    const std::int64_t period_;
    const std::int64_t full_;  // bucket: its level then

    std::int64_t end_ = std::numeric_limits<std::int64_t>::min();  // of the window
    std::int64_t count_ = 0;                                       // in it, or in the ring
    std::vector<std::int64_t> entries_;  // sliding: a ring of the last ones' times
    std::size_t oldest_ = 0;
    std::int64_t level_;  // bucket: in parts of an entry, `period` of which are one
    std::int64_t filled_ = std::numeric_limits<std::int64_t>::min();  // when that was so
};

}  // namespace detail
}  // namespace steptree
