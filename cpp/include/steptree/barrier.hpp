#pragma once

#include <cstdint>
#include <mutex>

#include "steptree/abi.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/required.hpp"

namespace steptree {

/// `Barrier({.parties = 3})`.
struct BarrierOptions {
    Required<std::int64_t> parties;  ///< lines that wait for each other, at least 1
};

namespace detail {

/// Where lines wait for each other: when as many wait as there are parties all go on, and the next
/// round begins. A line whose step closes meanwhile doesn't count any more. Has to outlive the runs
/// of the flows that use it.
///
/// Barrier is for flows of one thread, ThreadBarrier for flows of any threads.
/// Guide: docs/limits.md#which-guard
///
///     Barrier phase({.parties = 3});
///     phase.wait(asi);
template <class Lock>
class STEPTREE_VISIBLE BasicBarrier final : public WaitedFor {
  public:
    /// InternalError for a bad option.
    explicit BasicBarrier(const BarrierOptions& options);
    BasicBarrier(const BasicBarrier&) = delete;
    BasicBarrier& operator=(const BasicBarrier&) = delete;

    /// Adds a step, without a result, that ends when as many wait as there are parties. A step that
    /// closes leaves the queue: to wait no longer than so, put a setTimeout around it.
    /// InternalError where `asi` takes no steps. Guide: docs/limits.md#which-guard
    void wait(IAsyncSteps& asi);

    /// How many lines wait.
    std::int64_t waiting() const;

  private:
    enum class Entry : std::uint8_t { in, wait };

    void show(GuardLook& look) override;
    void arrive(Step& step);
    Entry attempt(Waiter* wait);
    bool isComplete() const noexcept { return waiters_.count() + 1 >= parties_; }
    void forgetCancelled() noexcept;

    [[no_unique_address]] HomeOf<Lock> home_{"Barrier"};
    mutable Lock mutex_;
    const std::int64_t parties_;
    Waiters waiters_;
};

extern template class BasicBarrier<NoMutex>;
extern template class BasicBarrier<std::mutex>;

}  // namespace detail

/// Where lines wait for each other: `Barrier phase({.parties = 3});`. For flows of one thread,
/// whichever tools they are of; see detail::BasicBarrier. Guide: docs/limits.md#which-guard
using Barrier = detail::BasicBarrier<detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicBarrier. Guide: docs/limits.md#which-guard
using ThreadBarrier = detail::BasicBarrier<std::mutex>;

}  // namespace steptree
