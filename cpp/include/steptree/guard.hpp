#pragma once

#include <cstdint>

#include "steptree/abi.hpp"

namespace steptree {

namespace detail {
class GuardLook;
class Step;
struct Line;
struct Why;
struct KeyAccess;

/// What lines wait for in a queue: a guard, a barrier.
class WaitedFor {
  public:
    /// For the runtime.
    struct Access;

  protected:
    WaitedFor() = default;
    ~WaitedFor() = default;

  private:
    /// Tells a snapshot what it is, who waits and who has it; or what stands in its place does.
    virtual void show(GuardLook& look) = 0;

    std::uint64_t number_ = 0;  // in snapshots; 0: it was in none yet
};

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
/// goes on: it's taken until that has settled, or goes back with its section.
enum class Abandoned : unsigned char { keep, release };

/// A guard that comes with the library: Mutex, Throttle, Limiter, a side of an RwLock, Gate,
/// Breaker, and the same for threads. `asi.sync()` locks it, and nothing else. Has to outlive the
/// runs of the flows that use it. Guide: docs/limits.md
///
///     Guard& guard = mutex;
///     asi.sync(guard, ask);
class STEPTREE_VISIBLE Guard : public detail::WaitedFor {
  public:
    /// For the runtime.
    struct Section;

  protected:
    Guard() = default;
    ~Guard() = default;

  private:
    /// Lets the line in if it needn't wait.
    virtual bool admit(detail::Line& line) noexcept = 0;
    /// If it wasn't: whether the lock step waits now, without a call of wait().
    virtual bool queue(detail::Step&) noexcept { return false; }
    /// The lock step waits, or is let in. Throws what forbids that.
    virtual void wait(detail::Step& lock) = 0;
    /// The section closes. The line has it once less.
    virtual void leave(detail::Step& section, const detail::Why& why) noexcept = 0;
    /// What the line has of it stays taken, whoever leaves. Null: nothing, or it doesn't keep.
    virtual detail::KeptPlace* keep(detail::Line&) noexcept { return nullptr; }
};

}  // namespace steptree
