#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace steptree::detail {

/// How many of the calls that a breaker judges have failed: of the last so many, or of those of the
/// last so much time. Those that ended before leave it by themselves, when one more is counted.
class CallWindow {
  public:
    /// The last so many: a ring of what became of each. Throws bad_alloc.
    static CallWindow ofCalls(std::int64_t most);
    /// Those of the last slices of time: a ring of what became of all in each. Throws bad_alloc.
    static CallWindow ofTime(std::int64_t period);

    std::int64_t calls() const noexcept { return all_.calls; }
    std::int64_t failures() const noexcept { return all_.failures; }
    /// Those that would be among them if one more ended then.
    std::int64_t failuresAt(std::int64_t now) noexcept;
    void count(bool failed, std::int64_t now) noexcept;
    void clear() noexcept;

  private:
    struct Count {
        std::int64_t calls = 0;
        std::int64_t failures = 0;
    };

    CallWindow() = default;
    void countLast(bool failed) noexcept;
    void advance(std::int64_t to) noexcept;
    void empty(std::int64_t slice) noexcept;
    Count& at(std::int64_t slice) noexcept {
        return slices_[static_cast<std::size_t>(slice) % slices_.size()];
    }

    Count all_;
    std::vector<bool> failed_;  // of calls
    std::size_t next_ = 0;
    std::vector<Count> slices_;  // of time
    std::int64_t slice_ = 0;     // how long each is
    std::int64_t latest_ = 0;    // time that goes back belongs to it
};

}  // namespace steptree::detail
