#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/detail/admission.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// A time as limits take it: whole milliseconds, or any chrono duration, rounded up. [sync-47]
class Period {
  public:
    template <std::integral Time>
    Period(Time ms) noexcept : ms_(detail::wholeMilliseconds(ms)) {}  // NOLINT: implicit
    template <class Rep, class Ratio>
    Period(std::chrono::duration<Rep, Ratio> time) noexcept  // NOLINT: implicit
        : ms_(detail::wholeMilliseconds(time)) {}
    std::int64_t milliseconds() const noexcept { return ms_; }

  private:
    std::int64_t ms_;
};

struct ThrottleOptions {
    std::int64_t max = 1;
    Period period = 1000;
    std::int64_t maxQueue = 0;
    ThrottleAlgorithm algorithm = ThrottleAlgorithm::fixed;
    std::optional<std::int64_t> capacity{};  // of a bucket; without: max
};

namespace detail {

/// Lets at most `max` lines in during a period, nested entries too; the others wait in the order of
/// coming, at most `maxQueue` of them. What an entry is and when the next is due says the
/// algorithm; with `fixed`, the first entry after a rest opens a window, and windows follow each
/// other as long as somebody waits. DefenseRejected if the queue is full; the error's retryAfter()
/// says when to come again. Has to outlive the runs of the flows that use it. [sync-50] [sync-52]
/// [sync-55] [sync-56] [sync-67]
///
/// Throttle is for flows of one thread [sync-84], ThreadThrottle for flows of any threads. Each
/// tool whose flows wait has a timer of its own armed: one that stops strands nobody else's.
/// [sync-59]
template <class Lock>
class STEPTREE_VISIBLE BasicThrottle final : public Guard {
  public:
    /// InternalError if max, period or capacity are below 1 or infinite, or maxQueue is below 0.
    /// [sync-45] [sync-48] [sync-77]
    explicit BasicThrottle(const ThrottleOptions& options);
    explicit BasicThrottle(std::int64_t max = 1, Period period = 1000, std::int64_t maxQueue = 0)
        : BasicThrottle(ThrottleOptions{max, period, maxQueue}) {}
    BasicThrottle(const BasicThrottle&) = delete;
    BasicThrottle& operator=(const BasicThrottle&) = delete;
    ~BasicThrottle();

  private:
    template <class>
    friend class BasicLimiter;
    struct Wait;
    struct ToolQueue;
    enum class Entry : std::uint8_t { in, wait, full };

    bool admit(Line& line) noexcept override;
    void wait(Step& lock) override;
    bool enter(Step& lock);
    void enqueue(Step& lock);
    /// An entry is spent. [sync-55]
    void leave(Step&) noexcept override {}
    Entry attempt(ToolCore& core, Wait* wait, std::int64_t& retryAfter);
    ToolQueue& queueOf(ToolCore& core);
    void remove(Wait& wait) noexcept;
    void leave(Wait& wait, bool abandons) noexcept;
    void tick(Wait& wait) noexcept;
    void lead(ToolQueue& queue, ToolCore& core) noexcept;

    [[no_unique_address]] HomeOf<Lock> home_{"Throttle"};
    Lock mutex_;
    Admission admission_;
    Waiters waiters_;
    std::vector<std::unique_ptr<ToolQueue>> queues_;
};

extern template class BasicThrottle<NoMutex>;
extern template class BasicThrottle<std::mutex>;

}  // namespace detail

using Throttle = detail::BasicThrottle<detail::NoMutex>;
using ThreadThrottle = detail::BasicThrottle<std::mutex>;

}  // namespace steptree
