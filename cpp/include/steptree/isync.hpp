#pragma once

#include "steptree/abi.hpp"

namespace steptree {

class IAsyncSteps;
struct Outcome;

/// A guard of the program's own, for `asi.sync(guard, body)`. Has to outlive the runs of the flows
/// that use it. Guide: docs/limits.md
///
///     struct Transaction : ISync {
///         void lock(IAsyncSteps& asi) override { asi.add(begin); }
///         void unlock(IAsyncSteps&, const Outcome& outcome) override { end(outcome.kind); }
///     };
class STEPTREE_VISIBLE ISync {
  public:
    /// Takes the lock. The body of a step of its own: it may return at once, wait, add steps, fail
    /// or end a loop, and its accessor's timer and cancel handler are its own. Ended well, even if
    /// its line has not moved on yet, it is owed exactly one unlock(). Ended otherwise it is owed
    /// none: what it has taken by then its cancel handler gives back.
    virtual void lock(IAsyncSteps& asi) = 0;

    /// Gives the lock back, in the closing of the section, whose outcome it is told as a deferred
    /// function is: a transaction is committed, or rolled back. Of the accessor `state`, signal and
    /// locals work. May not wait; what it throws goes to the flow's `report`.
    virtual void unlock(IAsyncSteps& asi, const Outcome& outcome) = 0;

  protected:
    ~ISync() = default;
};

}  // namespace steptree
