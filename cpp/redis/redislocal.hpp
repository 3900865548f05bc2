#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>

#include "steptree/detail/admission.hpp"
#include "timers.hpp"

namespace steptree::detail::redis {

/// What a process may give alone.
struct Share {
    std::int64_t max;  // places
    std::optional<Admission> rate{};
};

/// One that such a share is for.
struct Sharer {
    enum class State : std::uint8_t { none, waits, in };

    State state = State::none;
    std::int64_t taken = 0;  // places; while it waits: to be taken
    std::list<Sharer*>::iterator at{};
};

/// What a process lets in by itself while Redis is down: so many at a time, so many in a time,
/// first come, first served. On the connection's thread.
class LocalShare {
  public:
    LocalShare(Share share, std::function<void(Sharer&)> letIn);
    LocalShare(const LocalShare&) = delete;
    LocalShare& operator=(const LocalShare&) = delete;
    ~LocalShare() = default;

    /// It waits for so many places, and for an entry, until it's let in or leaves. Throws bad_alloc
    /// only.
    void enter(Sharer& one, std::int64_t places, Timers& timers);
    /// It has gone, or is let in elsewhere.
    void leave(Sharer& one) noexcept;

  private:
    void serve() noexcept;
    bool admits(std::int64_t now) noexcept;
    void tick() noexcept;

    Share share_;
    const std::function<void(Sharer&)> letIn_;
    std::list<Sharer*> waits_;
    std::int64_t used_ = 0;
    Timers* timers_ = nullptr;  // once somebody has come
    Timer timer_;
};

}  // namespace steptree::detail::redis
