#pragma once

#include <cstdint>
#include <memory>

#include "steptree/abi.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

namespace detail {
struct LeaseNode;
}

/// The right to take a lock back, for a guard of the program's own: what it has let in is lost, and
/// its section fails with LeaseLost, as by a timeout. It ends with its section. For the thread of
/// its flow. Guide: docs/limits.md#guards-of-your-own
///
///     struct Leased : ISync {
///         void lock(IAsyncSteps& asi) override { (lease = Lease(asi)).lose(5s); }
///         void unlock(IAsyncSteps&, const Outcome&) override {}
///         Lease lease;
///     };
class STEPTREE_VISIBLE Lease {
  public:
    /// Of no section: it can't be lost.
    Lease() noexcept;
    /// In `lock()`, with the accessor of that; a section has one. Else InternalError.
    explicit Lease(IAsyncSteps& asi);
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) noexcept;
    /// The section keeps its lock.
    ~Lease();

    /// The section loses its lock in `time`, milliseconds or a std::chrono duration, by default in
    /// the next timer pass, unless this is called again: INFINITY takes it back. Nothing if the
    /// section has closed. InternalError if it's negative or NaN.
    template <class Time>
    void lose(Time time) {
        loseIn(detail::checkedTime("lose", time));
    }
    void lose() { loseIn(0); }

  private:
    void loseIn(std::int64_t ms);

    std::unique_ptr<detail::LeaseNode> node_;
};

}  // namespace steptree
