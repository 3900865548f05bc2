#pragma once

#include <cstdint>

#include "steptree/detail/callwindow.hpp"

namespace steptree {

/// Who is let in by a Breaker: everybody, nobody, a few as probes.
enum class BreakerState : std::uint8_t { closed, open, halfOpen };

namespace detail {

/// Whether a breaker is closed, open or half-open. It knows calls and times, but no steps. A phase
/// is the time in which the state is one and the same: what was let in belongs to it; once that is
/// over it counts no more. Half-open begins when somebody looks: until then nobody could tell.
class Circuit {
  public:
    struct Settings {
        double rate;
        std::int64_t minCalls;
        std::int64_t openFor;
        std::int64_t probes;
    };
    /// What a section that is over tells.
    enum class Told : std::uint8_t { ok, failed, nothing };

    Circuit(const Settings& settings, CallWindow window) noexcept;

    BreakerState state(std::int64_t now) noexcept;
    /// Closed, and without a failure that counts.
    bool isNew(std::int64_t now) noexcept {
        return state_ == BreakerState::closed && window_.failuresAt(now) == 0;
    }
    /// Whether one more may come, in the state that somebody has just looked at.
    bool admits() const noexcept;
    /// It comes; answers to which phase it belongs.
    std::int64_t enter() noexcept;
    /// How long till it is half-open; -1: it is.
    std::int64_t delay(std::int64_t now) noexcept;
    /// Whether what came in that phase counts.
    bool counts(std::int64_t phase) const noexcept { return phase == phase_; }
    /// What came in that phase is over.
    void left(std::int64_t phase, Told told, std::int64_t now) noexcept;

  private:
    void probed(bool failed, std::int64_t now) noexcept;
    void called(bool failed, std::int64_t now) noexcept;
    void open(std::int64_t now) noexcept;
    void become(BreakerState state) noexcept;

    const Settings settings_;
    CallWindow window_;
    BreakerState state_ = BreakerState::closed;
    std::int64_t phase_ = 0;  // its number
    std::int64_t until_ = 0;
    // Half-open: so many more may come, and so many have yet to succeed.
    std::int64_t free_ = 0;
    std::int64_t missing_ = 0;
};

}  // namespace detail
}  // namespace steptree
