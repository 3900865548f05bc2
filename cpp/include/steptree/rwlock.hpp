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

struct RwLockOptions {
    std::int64_t maxQueue = kUnlimited;  // that wait, readers and writers
    Abandoned abandoned = Abandoned::keep;
};

namespace detail {

/// Two guards: any number of lines is in by `read` at a time, or one by `write`; the others wait in
/// the order of coming, at most `maxQueue` of them. A line that is in may lock again, `read` in
/// both and `write` in `write`, and is out when it has unlocked each as often, or has ended. Has to
/// outlive the runs of the flows that use it. [sync-90] [sync-91] [sync-92] [sync-94] [sync-98]
/// [sync-107]
///
/// RwLock is for flows of one thread [sync-84], ThreadRwLock for flows of any threads.
template <class Lock>
class STEPTREE_VISIBLE BasicRwLock final : Lender {
  public:
    class Side final : public ISync {
      public:
        Side(const Side&) = delete;
        Side& operator=(const Side&) = delete;

        /// Lets the line of the step in whose body it is called in: at once, or when it is its
        /// turn. DefenseRejected if the queue is full. Leaves the queue when the step closes
        /// before. Called other than in a body, or in one that waits already: InternalError to the
        /// caller. [sync-102] [sync-104] [sync-107]
        void lock(IAsyncSteps& asi) override;

        /// Whose turn it is now goes on in his line's. InternalError to the caller if the line has
        /// not locked it. [sync-107]
        void unlock(IAsyncSteps& asi) override;

      private:
        friend BasicRwLock;
        Side(BasicRwLock& owner, bool writes) noexcept : owner_(owner), writes_(writes) {}

        bool enters(Line& line) noexcept override;
        bool leaves(Line& line) noexcept override;
        KeptPlace* keep(Line& line) noexcept override { return owner_.keep(line, writes_); }

        BasicRwLock& owner_;
        const bool writes_;
    };

    /// InternalError if maxQueue is below 0; 0: nobody waits. [sync-45] [sync-48]
    explicit BasicRwLock(const RwLockOptions& options = {});
    ~BasicRwLock() { leaveKnown(); }
    BasicRwLock(const BasicRwLock&) = delete;
    BasicRwLock& operator=(const BasicRwLock&) = delete;

    /// Waits while somebody writes or waits. Deadlock under a line that writes. [sync-93] [sync-95]
    /// [sync-97] [sync-99] [sync-101]
    Side read{*this, false};
    /// Waits while somebody is in. Deadlock for a line that reads, and under lines that are in.
    /// [sync-90] [sync-96] [sync-100]
    Side write{*this, true};

  private:
    struct Wait;
    enum class Entry : std::uint8_t { in, wait, deadlock, full };

    /// Which of the two is locked, and whether by a section of it, which unlocks.
    struct How {
        bool writes;
        bool lends;
    };

    Entry attempt(Line& line, How how, Wait* wait);
    Entry enter(Line& line, How how, Wait* wait);
    Hold* holdOf(Line& line, bool writes) noexcept;
    KeptPlace* keep(Line& line, bool writes) noexcept;
    KeptPlace* keepFor(Line& line) noexcept override;
    void free(KeptHold& kept) noexcept;
    void free(bool writes) noexcept;
    bool admits(bool writes) const noexcept;
    void take(Line& line, How how);
    void release(bool writes, Hold& hold) noexcept;
    void grant() noexcept;
    void leave(Wait& wait, bool abandons) noexcept;
    std::uint64_t lastOf(Line& line) noexcept override;
    void takeBack(Line& line, std::uint64_t lent) noexcept override;

    [[no_unique_address]] HomeOf<Lock> home_{"RwLock"};
    Lock mutex_;
    Hold writer_;
    Holds reading_;             // the lines that have `read`
    std::int64_t readers_ = 0;  // of them, and those that are kept
    bool written_ = false;      // by `writer_`, or kept
    Waiters waiters_;
    Keeps keeps_;
};

extern template class BasicRwLock<NoMutex>;
extern template class BasicRwLock<std::mutex>;

}  // namespace detail

using RwLock = detail::BasicRwLock<detail::NoMutex>;
using ThreadRwLock = detail::BasicRwLock<std::mutex>;

}  // namespace steptree
