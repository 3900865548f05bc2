#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/mutex.hpp"
#include "steptree/throttle.hpp"

namespace steptree {

/// `Limiter({.concurrent = 8, .rate = 100})`: what isn't given isn't limited.
struct LimiterOptions {
    std::int64_t concurrent = kUnlimited;  ///< lines that may be in at a time, at least 1
    std::int64_t maxQueue = kUnlimited;    ///< lines that may wait, for either; at least 0
    std::int64_t rate = kUnlimited;        ///< lines that may enter in a period, at least 1
    /// At least a millisecond; without: a second. Only beside a rate.
    std::optional<Period> period{};
    /// Tokens that the rate saves: that many may enter at once after a rest. Without: none, it
    /// counts by periods.
    std::optional<std::int64_t> burst{};
    Abandoned abandoned = Abandoned::keep;  ///< what becomes of places then
    std::string name{};                     ///< what errors call it; without: nothing
};

namespace detail {

/// A mutex, and inside it a throttle: limits both how many lines are in at a time and how many
/// enter in a period. A line takes a place, then an entry, and may wait for both, in one queue; it
/// fails as those of Mutex and Throttle. Refused, cancelled or timed out it spends no entry and
/// keeps no place. Has to outlive the runs of the flows that use it. Limiter is for flows of one
/// thread, ThreadLimiter for flows of any threads. Guide: docs/limits.md
///
///     Limiter calls({.concurrent = 8, .rate = 100});
///     asi.sync(calls, ask);
template <class Lock>
class STEPTREE_VISIBLE BasicLimiter final : public Guard {
  public:
    /// InternalError for a bad option.
    explicit BasicLimiter(const LimiterOptions& options = {});
    BasicLimiter(const BasicLimiter&) = delete;
    BasicLimiter& operator=(const BasicLimiter&) = delete;

    /// How many lines wait, for a place or an entry; who waits for an entry is active, too.
    std::int64_t waiting() const;
    /// How many places are taken; 0 without `concurrent`.
    std::int64_t active() const { return mutex_ ? mutex_->active() : 0; }
    /// How many places aren't; kUnlimited without `concurrent`.
    std::int64_t available() const { return mutex_ ? mutex_->available() : kUnlimited; }
    /// As it was given.
    const std::string& name() const noexcept { return name_; }

  private:
    friend KeyAccess;
    struct Place;

    bool isNew(std::int64_t now) noexcept;
    bool admit(Line& line) noexcept override;
    void wait(Step& lock) override;
    void count(Step& lock, bool taken);
    void leave(Step& section, const Why& why) noexcept override {
        if (mutex_) mutex_->leave(section, why);
    }
    KeptPlace* keep(Line& line) noexcept override { return mutex_ ? mutex_->keep(line) : nullptr; }
    void show(GuardLook& look) override;

    std::optional<BasicMutex<Lock>> mutex_;
    std::optional<BasicThrottle<Lock>> throttle_;
    const std::int64_t maxQueue_;
    CountOf<Lock> waiting_{0};
    const std::string name_;
};

extern template class BasicLimiter<NoMutex>;
extern template class BasicLimiter<std::mutex>;

}  // namespace detail

/// Lets in so many at a time, and so many in a period: `Limiter calls({.concurrent = 8, .rate =
/// 100});`. For flows of one thread, whichever tools they are of; see detail::BasicLimiter.
/// Guide: docs/limits.md
using Limiter = detail::BasicLimiter<detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicLimiter. Guide: docs/limits.md
using ThreadLimiter = detail::BasicLimiter<std::mutex>;

}  // namespace steptree
