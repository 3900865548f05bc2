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
/// enter in a period. Refused, cancelled or timed out it spends no entry and keeps no place. Has to
/// outlive the runs of the flows that use it. Limiter is for flows of one thread [sync-84],
/// ThreadLimiter for flows of any threads. [sync-70] [sync-71] [sync-72]
template <class Lock>
class STEPTREE_VISIBLE BasicLimiter final : public ISync {
  public:
    /// InternalError for what Mutex and Throttle refuse. [sync-45]
    explicit BasicLimiter(const LimiterOptions& options = {})
        : mutex_(options.concurrent, options.maxQueue, options.abandoned),
          throttle_(options.rate, options.period, options.burst) {
        mutex_.home_.isPartOf("Limiter");
        throttle_.home_.isPartOf("Limiter");
    }

    /// Takes a place, then an entry: at once, or in steps that wait. Raises what Mutex and Throttle
    /// do. [sync-73] [sync-74]
    void lock(IAsyncSteps& asi) override;
    /// Gives the place back. [sync-75]
    void unlock(IAsyncSteps& asi) override { mutex_.unlock(asi); }

  private:
    struct Place;

    bool enters(Line& line) noexcept override;
    bool leaves(Line& line) noexcept override { return mutex_.leaves(line); }
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
