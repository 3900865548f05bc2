#pragma once

#include <cstdint>
#include <mutex>

#include "steptree/abi.hpp"
#include "steptree/detail/holds.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

namespace detail {

/// Lets at most `max` lines in at a time; the others wait in the order of coming, at most
/// `maxQueue` of them. A line that is in enters sections inside at once, and is out when the
/// outermost one closes. A branch is a line of its own: it does not have the places of the line
/// around it. Deadlock if all places are those of lines around it, DefenseRejected if the queue is
/// full. Has to outlive the runs of the flows that use it. [sync-30] [sync-32] [sync-35] [sync-36]
/// [sync-37] [sync-39]
///
/// Mutex is for flows of one thread, whichever tools they are of; flows of another one are refused
/// by InternalError, while a tool that used it lives. [sync-84] It takes no memory once as many
/// have been in at a time as ever will be. ThreadMutex is for flows of any threads: no call waits
/// for a flow, and none for another thread longer than that takes to look at the queue.
template <class Lock>
class STEPTREE_VISIBLE BasicMutex final : public Guard {
  public:
    /// InternalError if max is below 1 or infinite or maxQueue below 0; 0: nobody waits. [sync-45]
    /// [sync-48]
    explicit BasicMutex(std::int64_t max = 1, std::int64_t maxQueue = kUnlimited,
                        Abandoned abandoned = Abandoned::keep);
    BasicMutex(const BasicMutex&) = delete;
    BasicMutex& operator=(const BasicMutex&) = delete;

  private:
    template <class>
    friend class BasicLimiter;
    struct Wait;
    enum class Entry : std::uint8_t { in, wait, deadlock, full };

    bool admit(Line& line) noexcept override;
    [[gnu::noinline]] bool admitAnew(Line& line) noexcept;
    bool queue(Step& lock) noexcept override;
    void wait(Step& lock) override;
    void leave(Step& section) noexcept override;
    void leave(Line& line) noexcept;
    [[gnu::noinline]] void leaveOthers(Hold& hold) noexcept;
    KeptPlace* keep(Line& line) noexcept override;
    void freePlace(std::unique_lock<Lock>& locked) noexcept;
    [[gnu::noinline]] void lose(Line& line) noexcept;
    void free(KeptHold& kept) noexcept;
    bool has(Line& line) noexcept;
    bool enter(Line& line);
    bool enter(Step& lock);
    void enqueue(Step& lock);
    Entry attempt(Line& line, Wait* wait);
    void giveUp(Waiter& waiter) noexcept;
    void gone(Waiter& waiter) noexcept;
    void release(Hold& hold, std::unique_lock<Lock>& locked) noexcept;

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
