#pragma once

#include <cstdint>

#include "steptree/abi.hpp"
#include "steptree/mutex.hpp"
#include "steptree/throttle.hpp"

namespace steptree {

struct LimiterOptions {
    std::int64_t concurrent = 1;  // lines that are in at a time
    std::int64_t maxQueue = 0;    // that wait for that
    std::int64_t rate = 1;        // that enter in a period
    Period period = 1000;
    std::int64_t burst = 0;  // that are in and wait for a later period
    Abandoned abandoned = Abandoned::keep;
};

namespace detail {

/// A mutex, and inside it a throttle: limits both how many lines are in at a time and how many
/// enter in a period. A line takes a place, then an entry, and may wait for both; it fails as those
/// of Mutex and Throttle. Refused, cancelled or timed out it spends no entry and keeps no place.
/// Has to outlive the runs of the flows that use it. Limiter is for flows of one thread [sync-84],
/// ThreadLimiter for flows of any threads. [sync-70] [sync-71] [sync-72]
template <class Lock>
class STEPTREE_VISIBLE BasicLimiter final : public Guard {
  public:
    /// InternalError for what Mutex and Throttle refuse. [sync-45]
    explicit BasicLimiter(const LimiterOptions& options = {})
        : mutex_(options.concurrent, options.maxQueue, options.abandoned),
          throttle_(options.rate, options.period, options.burst) {
        mutex_.home_.isPartOf("Limiter");
        throttle_.home_.isPartOf("Limiter");
    }

  private:
    struct Place;

    bool admit(Line& line) noexcept override;
    void wait(Step& lock) override;
    void leave(Step& section) noexcept override { mutex_.leave(section); }
    KeptPlace* keep(Line& line) noexcept override { return mutex_.keep(line); }

    BasicMutex<Lock> mutex_;
    BasicThrottle<Lock> throttle_;
};

extern template class BasicLimiter<NoMutex>;
extern template class BasicLimiter<std::mutex>;

}  // namespace detail

using Limiter = detail::BasicLimiter<detail::NoMutex>;
using ThreadLimiter = detail::BasicLimiter<std::mutex>;

}  // namespace steptree
