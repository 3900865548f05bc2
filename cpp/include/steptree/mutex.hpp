#pragma once

#include <cstdint>
#include <forward_list>
#include <mutex>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/detail/holds.hpp"
#include "steptree/detail/waiters.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// `Mutex({.max = 3, .maxQueue = 10, .name = "db"})`.
struct MutexOptions {
    std::int64_t max = 1;                   ///< lines that may be in at a time, at least 1
    std::int64_t maxQueue = kUnlimited;     ///< lines that may wait, at least 0
    Abandoned abandoned = Abandoned::keep;  ///< what becomes of a place then
    std::string name{};                     ///< what errors call it; without: nothing
};

namespace detail {

/// Lets at most `max` lines in at a time; the others wait in the order of coming, at most
/// `maxQueue` of them. A line that is in enters sections inside at once, and is out when the
/// outermost one closes. A branch is a line of its own: it does not have the places of the line
/// around it. Deadlock if all places are those of lines around it, DefenseRejected if the queue is
/// full. Has to outlive the runs of the flows that use it.
///
/// Mutex is for flows of one thread, whichever tools they are of; flows of another one are refused
/// by InternalError, while a tool that used it lives. It takes no memory once as many have been in
/// at a time as ever will be. ThreadMutex is for flows of any threads: no call waits for a flow,
/// and none for another thread longer than that takes to look at the queue.
/// Guide: docs/limits.md#which-guard
///
///     Mutex mutex({.max = 3, .maxQueue = 10});
///     asi.sync(mutex, [](IAsyncSteps& section) { section.add(write).add(flush); });
template <class Lock>
class STEPTREE_VISIBLE BasicMutex final : public Guard {
  public:
    /// InternalError for a bad option.
    explicit BasicMutex(const MutexOptions& options = {});
    BasicMutex(const BasicMutex&) = delete;
    BasicMutex& operator=(const BasicMutex&) = delete;
    ~BasicMutex();

    /// A guard whose sections take `n` places at once, or wait for as many, while those behind them
    /// wait, too; Deadlock for a line that has fewer. It lives as long as the mutex. InternalError
    /// unless 1 <= `n` <= `max`. Guide: docs/limits.md#which-guard
    ///
    ///     asi.sync(connections.places(3), copyAll);
    Guard& places(std::int64_t n);

    /// How many lines wait.
    std::int64_t waiting() const;
    /// How many places are taken.
    std::int64_t active() const;
    /// How many places aren't.
    std::int64_t available() const;
    /// As it was given.
    const std::string& name() const noexcept { return name_; }

  private:
    template <class>
    friend class BasicLimiter;
    friend KeyAccess;
    struct Wait;
    class Places;
    enum class Entry : std::uint8_t { in, wait, deadlock, full };

    bool admit(Line& line) noexcept override;
    [[gnu::noinline]] bool admitAnew(Line& line) noexcept;
    bool queue(Step& lock) noexcept override;
    void wait(Step& lock) override;
    void leave(Step& section, const Why&) noexcept override;
    void leave(Line& line) noexcept;
    [[gnu::noinline]] void leaveOthers(Hold& hold) noexcept;
    KeptPlace* keep(Line& line) noexcept override;
    void show(GuardLook& look) override;
    void showPlaces(GuardLook& look);
    void grant(std::int64_t given, std::unique_lock<Lock>& locked) noexcept;
    [[gnu::noinline]] void lose(Line& line) noexcept;
    void free(KeptHold& kept) noexcept;
    bool has(Line& line) noexcept;
    bool isNew(std::int64_t now = kAnyTime) noexcept;
    bool enter(Line& line);
    bool enter(Line& line, std::int64_t places);
    bool enter(Step& lock, std::int64_t places = 1, const char* kind = "mutex");
    void enqueue(Step& lock, std::int64_t places);
    Entry attempt(Line& line, Wait* wait, std::int64_t places);
    Waiter* severalWanted() const noexcept;
    void giveUp(Waiter& waiter) noexcept;
    void gone(Waiter& waiter) noexcept;
    void release(Hold& hold, std::unique_lock<Lock>& locked) noexcept;

    [[no_unique_address]] HomeOf<Lock> home_{"Mutex"};
    mutable Lock mutex_;
    const std::int64_t max_;
    const std::int64_t maxQueue_;
    std::int64_t quietQueue_;  // for those who take no memory beforehand
    std::int64_t free_;
    std::int64_t aside_ = 0;  // for the first who waits, who wants more
    Holds holds_;
    Waiters waiters_;
    Keeps keeps_;
    const std::string name_;
    std::forward_list<Places> places_;  // as many as there are different numbers
};

extern template class BasicMutex<NoMutex>;
extern template class BasicMutex<std::mutex>;

}  // namespace detail

/// Lets at most `max` lines in at a time: `Mutex mutex({.max = 3});`. For flows of one thread,
/// whichever tools they are of; see detail::BasicMutex. Guide: docs/limits.md#which-guard
using Mutex = detail::BasicMutex<detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicMutex. Guide: docs/limits.md#which-guard
using ThreadMutex = detail::BasicMutex<std::mutex>;

}  // namespace steptree
