#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/detail/holds.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// `RwLock({.maxQueue = 10, .name = "cache"})`.
struct RwLockOptions {
    std::int64_t maxQueue = kUnlimited;     ///< readers and writers that may wait, at least 0
    Abandoned abandoned = Abandoned::keep;  ///< what becomes of their places then
    std::string name{};                     ///< what errors call it; without: nothing
};

namespace detail {

/// Two guards: any number of lines is in by `read` at a time, or one by `write`; the others wait in
/// the order of coming, at most `maxQueue` of them; then DefenseRejected. A line that is in enters
/// sections inside at once, `read` in both and `write` in `write`. Has to outlive the runs of the
/// flows that use it.
///
/// RwLock is for flows of one thread, ThreadRwLock for flows of any threads.
/// Guide: docs/limits.md#which-guard
///
///     RwLock lock;
///     asi.sync(lock.read, look).sync(lock.write, change);
template <class Lock>
class STEPTREE_VISIBLE BasicRwLock final {
  public:
    /// One of the two guards.
    class Side final : public Guard {
      public:
        Side(const Side&) = delete;
        Side& operator=(const Side&) = delete;

        /// How many lines wait for it.
        std::int64_t waiting() const;
        /// How many lines are in by it.
        std::int64_t active() const;

      private:
        friend BasicRwLock;
        Side(BasicRwLock& owner, bool writes) noexcept : owner_(owner), writes_(writes) {}

        bool admit(Line& line) noexcept override;
        void wait(Step& lock) override;
        void leave(Step& section, const Why&) noexcept override;
        KeptPlace* keep(Line& line) noexcept override;
        void show(GuardLook& look) override;

        BasicRwLock& owner_;
        const bool writes_;
        std::int64_t waiting_ = 0;
    };

    /// InternalError for a bad option.
    explicit BasicRwLock(const RwLockOptions& options = {});
    BasicRwLock(const BasicRwLock&) = delete;
    BasicRwLock& operator=(const BasicRwLock&) = delete;
    ~BasicRwLock();

    /// Waits while somebody writes or waits. Deadlock under a line that writes.
    Side read{*this, false};
    /// Waits while somebody is in. Deadlock for a line that reads, and under lines that are in.
    Side write{*this, true};

    /// How many lines wait, to read or to write.
    std::int64_t waiting() const;
    /// As it was given.
    const std::string& name() const noexcept { return name_; }

  private:
    struct Wait;
    enum class Entry : std::uint8_t { in, wait, deadlock, full };

    Entry attempt(Line& line, bool writes, Wait* wait);
    Entry enter(Line& line, bool writes, Wait* wait);
    Hold* holdOf(Line& line, bool writes) noexcept;
    void remove(Wait& wait) noexcept;
    void free(KeptHold& kept) noexcept;
    void free(bool writes) noexcept;
    bool admits(bool writes) const noexcept;
    void take(Line& line, bool writes);
    void release(bool writes, Hold& hold) noexcept;
    void grant() noexcept;
    void giveUp(Wait& wait, bool abandons) noexcept;
    void show(GuardLook& look, const char* side);

    [[no_unique_address]] HomeOf<Lock> home_{"RwLock"};
    mutable Lock mutex_;
    const std::int64_t maxQueue_;
    Hold writer_;
    Holds reading_;             // the lines that have `read`
    std::int64_t readers_ = 0;  // of them, and those that are kept
    bool written_ = false;      // by `writer_`, or kept
    Waiters waiters_;
    Keeps keeps_;
    const std::string name_;
};

extern template class BasicRwLock<NoMutex>;
extern template class BasicRwLock<std::mutex>;

}  // namespace detail

/// Lets in many that read, or one that writes: `RwLock lock;`. For flows of one thread, whichever
/// tools they are of; see detail::BasicRwLock. Guide: docs/limits.md#which-guard
using RwLock = detail::BasicRwLock<detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicRwLock. Guide: docs/limits.md#which-guard
using ThreadRwLock = detail::BasicRwLock<std::mutex>;

}  // namespace steptree
