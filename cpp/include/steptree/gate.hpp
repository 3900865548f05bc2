#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// `Gate({.open = false})`.
struct GateOptions {
    bool open = true;                    ///< when it's made
    std::int64_t maxQueue = kUnlimited;  ///< lines that may wait, at least 0
    std::string name{};                  ///< what errors call it; without: nothing
};

namespace detail {

/// Lets everybody in while it's open, and nobody while it's closed: who comes then waits, at most
/// `maxQueue` lines. Who is in stays in. DefenseRejected if the queue is full. Has to outlive the
/// runs of the flows that use it.
///
/// Gate is for flows of one thread. ThreadGate for flows of any threads, and for threads without:
/// its open, close, isOpen and waiting may be called anywhere. Guide: docs/limits.md#which-guard
///
///     Gate ready({.open = false});
///     asi.sync(ready, serve);
///     ready.open();
template <class Lock>
class STEPTREE_VISIBLE BasicGate final : public Guard {
  public:
    /// InternalError for a bad option.
    explicit BasicGate(const GateOptions& options = {});
    BasicGate(const BasicGate&) = delete;
    BasicGate& operator=(const BasicGate&) = delete;

    /// Lets in all that wait, and whoever comes.
    void open();
    /// Lets in nobody from now on.
    void close();
    /// Whether who comes now is let in.
    bool isOpen() const;

    /// Adds a step, without a result, that ends when the gate lets it pass: at once while that is
    /// open. A step that closes leaves the queue. DefenseRejected in the step if the queue is full;
    /// InternalError where `asi` takes no steps. Guide: docs/limits.md#which-guard
    void wait(IAsyncSteps& asi);

    /// How many lines wait.
    std::int64_t waiting() const;
    /// As it was given.
    const std::string& name() const noexcept { return name_; }

  private:
    enum class Entry : std::uint8_t { in, wait, full };

    bool admit(Line& line) noexcept override;
    void wait(Step& lock) override;
    void leave(Step&, const Why&) noexcept override {}
    void show(GuardLook& look) override;
    Entry attempt(Waiter* wait);

    [[no_unique_address]] HomeOf<Lock> home_{"Gate"};
    mutable Lock mutex_;
    const std::int64_t maxQueue_;
    bool open_;
    Waiters waiters_;
    const std::string name_;
};

extern template class BasicGate<NoMutex>;
extern template class BasicGate<std::mutex>;

}  // namespace detail

/// Lets in everybody while it's open: `Gate ready({.open = false});`. For flows of one thread,
/// whichever tools they are of; see detail::BasicGate. Guide: docs/limits.md#which-guard
using Gate = detail::BasicGate<detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicGate. Guide: docs/limits.md#which-guard
using ThreadGate = detail::BasicGate<std::mutex>;

}  // namespace steptree
