#pragma once

#include "steptree/abi.hpp"

namespace steptree {

class IAsyncSteps;

namespace detail {
class Step;
struct Line;

/// Places that what was abandoned keeps.
class KeptPlace {
  public:
    KeptPlace() = default;
    KeptPlace(const KeptPlace&) = delete;
    KeptPlace& operator=(const KeptPlace&) = delete;
    /// One that keeps them less; the last one gives them back. Any thread.
    virtual void letGo() noexcept = 0;

  protected:
    virtual ~KeptPlace() = default;
};
}  // namespace detail

/// What becomes of a place in a guard while an awaitable that was abandoned by those who had it
/// goes on: it's taken until that has settled, or goes back with its section. [sync-113] [sync-117]
enum class Abandoned : unsigned char { keep, release };

/// What `asi.sync(guard, body)` works with: Mutex, Throttle, Limiter, or one of your own. Has to
/// outlive the runs of the flows that use it.
class STEPTREE_VISIBLE ISync {
  public:
    /// Takes the lock. The body of a step of its own: it may return at once, wait, add steps, fail
    /// or end a loop, and its accessor's timer and cancel handler are its own. Ended well, even if
    /// its line has not moved on yet, it is owed exactly one unlock(). Ended otherwise it is owed
    /// none: what it has taken by then its cancel handler gives back. [sync-3] [sync-17] [sync-18]
    virtual void lock(IAsyncSteps& asi) = 0;

    /// Gives the lock back, in the closing of the section. Of the accessor only `state` works. May
    /// not wait; what it throws goes to the flow's `report`. [sync-16] [sync-23]
    virtual void unlock(IAsyncSteps& asi) = 0;

    /// For the runtime. A class of its own in the place of a friend: with one, compilers warn of
    /// the destructor.
    struct Quick {
        static bool enters(ISync& guard, detail::Line& line) noexcept { return guard.enters(line); }
        static bool waits(ISync& guard, detail::Step& lock) noexcept { return guard.waits(lock); }
        static bool leaves(ISync& guard, detail::Line& line) noexcept { return guard.leaves(line); }
        static detail::KeptPlace* keep(ISync& guard, detail::Line& line) noexcept {
            return guard.keep(line);
        }
    };

  protected:
    ~ISync() = default;

  private:
    /// Of the library's own guards, in the place of both: whether a section of the line is let in
    /// at once; if not, whether its lock step waits now; whether it has left. Else lock() is
    /// called, or unlock().
    virtual bool enters(detail::Line&) noexcept { return false; }
    virtual bool waits(detail::Step&) noexcept { return false; }
    virtual bool leaves(detail::Line&) noexcept { return false; }
    /// What the line has of it stays taken, whoever unlocks it. Null: nothing, or it doesn't keep.
    virtual detail::KeptPlace* keep(detail::Line&) noexcept { return nullptr; }
};

}  // namespace steptree
