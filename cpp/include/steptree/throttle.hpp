#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/detail/admission.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/required.hpp"

namespace steptree {

/// A time as limits take it: whole milliseconds, or any chrono duration, rounded up.
/// Guide: docs/limits.md#which-guard
///
///     const Period minute = 60s;
class Period {
  public:
    template <std::integral Time>
    Period(Time ms) noexcept : ms_(detail::wholeMilliseconds(ms)) {}  // NOLINT: implicit
    template <class Rep, class Ratio>
    Period(std::chrono::duration<Rep, Ratio> time) noexcept  // NOLINT: implicit
        : ms_(detail::wholeMilliseconds(time)) {}
    /// Negative if it was, or no number.
    std::int64_t milliseconds() const noexcept { return ms_; }

  private:
    std::int64_t ms_;
};

/// `Throttle({.max = 100, .period = 60s, .burst = 10})`.
struct ThrottleOptions {
    Required<std::int64_t> max;          ///< lines that may enter in a period, at least 1
    Period period = 1000;                ///< at least a millisecond; without: a second
    std::int64_t maxQueue = kUnlimited;  ///< lines that may wait, at least 0
    /// Without: `bucket` if there is a burst, else `fixed`.
    std::optional<ThrottleAlgorithm> algorithm{};
    /// Tokens that a full bucket holds: that many may enter at once after a rest. Without: max.
    std::optional<std::int64_t> burst{};
    std::string name{};  ///< what errors call it; without: nothing
};

namespace detail {

/// Lets at most `max` lines in during a period, nested entries too; the others wait in the order of
/// coming, at most `maxQueue` of them. What an entry is and when the next is due says the
/// algorithm; with `fixed`, the first entry after a rest opens a window, and windows follow each
/// other as long as somebody waits. DefenseRejected if the queue is full; the error's retryAfter()
/// says when to come again. Has to outlive the runs of the flows that use it.
///
/// Throttle is for flows of one thread, ThreadThrottle for flows of any threads. Each tool whose
/// flows wait has a timer of its own armed: one that stops strands nobody else's.
/// Guide: docs/limits.md#which-guard
///
///     Throttle rate({.max = 100, .period = 60s, .burst = 10});
///     asi.sync(rate, ask);
template <class Lock>
class STEPTREE_VISIBLE BasicThrottle final : public Guard {
  public:
    /// InternalError for a bad option.
    explicit BasicThrottle(const ThrottleOptions& options);
    BasicThrottle(const BasicThrottle&) = delete;
    BasicThrottle& operator=(const BasicThrottle&) = delete;
    ~BasicThrottle();

    /// How many lines wait.
    std::int64_t waiting() const;
    /// As it was given.
    const std::string& name() const noexcept { return name_; }

  private:
    template <class>
    friend class BasicLimiter;
    friend KeyAccess;
    struct Wait;
    struct ToolQueue;
    enum class Entry : std::uint8_t { in, wait, full };

    bool admit(Line& line) noexcept override;
    void wait(Step& lock) override;
    bool enter(Step& lock);
    void enqueue(Step& lock);
    /// An entry is spent.
    void leave(Step&, const Why&) noexcept override {}
    void show(GuardLook& look) override;
    void showQueue(GuardLook& look);
    Entry attempt(ToolCore& core, Wait* wait, std::int64_t& retryAfter);
    std::int64_t delay(ToolCore& core);
    bool isNew(std::int64_t now) noexcept;
    ToolQueue& queueOf(ToolCore& core);
    void remove(Wait& wait) noexcept;
    void leave(Wait& wait, bool abandons) noexcept;
    void tick(Wait& wait) noexcept;
    void lead(ToolQueue& queue, ToolCore& core) noexcept;

    [[no_unique_address]] HomeOf<Lock> home_{"Throttle"};
    mutable Lock mutex_;
    const std::int64_t maxQueue_;
    Admission admission_;
    Waiters waiters_;
    std::vector<std::unique_ptr<ToolQueue>> queues_;
    const std::string name_;
};

extern template class BasicThrottle<NoMutex>;
extern template class BasicThrottle<std::mutex>;

}  // namespace detail

/// Lets in so many in a period: `Throttle rate({.max = 100, .period = 60s});`. For flows of one
/// thread, whichever tools they are of; see detail::BasicThrottle.
/// Guide: docs/limits.md#which-guard
using Throttle = detail::BasicThrottle<detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicThrottle. Guide: docs/limits.md#which-guard
using ThreadThrottle = detail::BasicThrottle<std::mutex>;

}  // namespace steptree
