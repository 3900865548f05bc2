#pragma once

#include <cstdint>
#include <mutex>

#include "steptree/abi.hpp"
#include "steptree/detail/holds.hpp"
#include "steptree/detail/lender.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/isync.hpp"

namespace steptree {

namespace detail {

/// Lets at most `max` lines in at a time; the others wait in the order of coming, at most
/// `maxQueue` of them. A line that is in may lock it again, and is out when it has unlocked as
/// often, or has ended. A branch is a line of its own: it does not have the places of the line
/// around it. Has to outlive the runs of the flows that use it. [sync-30] [sync-32] [sync-35]
/// [sync-36] [sync-46] [sync-108]
///
/// Mutex is for flows of one thread, whichever tools they are of; flows of another one are refused
/// by InternalError, while a tool that used it lives. [sync-84] It takes no memory once as many
/// have been in at a time as ever will be. ThreadMutex is for flows of any threads: no call waits
/// for a flow, and none for another thread longer than that takes to look at the queue.
template <class Lock>
class STEPTREE_VISIBLE BasicMutex final : public ISync, Lender {
  public:
    /// InternalError if max is below 1 or infinite or maxQueue below 0; 0: nobody waits. [sync-45]
    /// [sync-48]
    explicit BasicMutex(std::int64_t max = 1, std::int64_t maxQueue = kUnlimited,
                        Abandoned abandoned = Abandoned::keep);
    ~BasicMutex() { leaveKnown(); }
    BasicMutex(const BasicMutex&) = delete;
    BasicMutex& operator=(const BasicMutex&) = delete;

    /// Lets the line of the step in whose body it is called in: at once, or when it is its turn.
    /// Deadlock if all places are those of lines around it, DefenseRejected if the queue is full.
    /// Leaves the queue when the step closes before. Called other than in a body, or in one that
    /// waits already: InternalError to the caller. [sync-31] [sync-37] [sync-39]
    /// [sync-40] [sync-43]
    void lock(IAsyncSteps& asi) override;

    /// The place goes to the first in the queue who can still take it; he goes on in his line's
    /// turn. InternalError to the caller if the line has none. [sync-33] [sync-34] [sync-44]
    /// [sync-46]
    void unlock(IAsyncSteps& asi) override;

  private:
    template <class>
    friend class BasicLimiter;
    struct Wait;
    enum class Entry : std::uint8_t { in, wait, deadlock, full };

    bool enters(Line& line) noexcept override;
    [[gnu::noinline]] bool entersAnew(Line& line) noexcept;
    bool waits(Step& lock) noexcept override;
    bool leaves(Line& line) noexcept override;
    [[gnu::noinline]] bool leavesOthers(Hold& hold) noexcept;
    KeptPlace* keep(Line& line) noexcept override;
    KeptPlace* keepFor(Line& line) noexcept override { return keep(line); }
    void freePlace(std::unique_lock<Lock>& locked) noexcept;
    [[gnu::noinline]] void lose(Line& line) noexcept;
    void free(KeptHold& kept) noexcept;
    /// `lends`: nobody promises that the line unlocks.
    void lockAs(IAsyncSteps& asi, bool lends);
    bool enter(IAsyncSteps& asi, bool lends);
    bool isHeldBy(IAsyncSteps& asi);
    bool admit(Line& line, bool lends);
    Entry attempt(Line& line, bool lends, Wait* wait);
    void queue(IAsyncSteps& asi, bool lends);
    void take(Line& line, bool lends);
    void giveUp(Waiter& waiter) noexcept;
    void gone(Waiter& waiter) noexcept;
    void release(Hold& hold, std::unique_lock<Lock>& locked) noexcept;
    std::uint64_t lastOf(Line& line) noexcept override;
    void takeBack(Line& line, std::uint64_t lent) noexcept override;

    [[no_unique_address]] HomeOf<Lock> home_{"Mutex"};
    Lock mutex_;
    const std::int64_t max_;
    std::int64_t free_;
    Holds holds_;
    Waiters waiters_;
    Keeps keeps_;
};

extern template class BasicMutex<NoMutex>;
extern template class BasicMutex<std::mutex>;

}  // namespace detail

using Mutex = detail::BasicMutex<detail::NoMutex>;
using ThreadMutex = detail::BasicMutex<std::mutex>;

}  // namespace steptree
