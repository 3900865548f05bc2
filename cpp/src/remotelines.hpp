#pragma once

#include <mutex>

#include "lease.hpp"
#include "steptree/detail/coreref.hpp"
#include "steptree/detail/linetable.hpp"
#include "steptree/detail/remoteguard.hpp"
#include "steptree/detail/waiters.hpp"

/// What lines have of a guard that is kept elsewhere, and who waits. It outlives the guard for
/// those who give places, as they may call at any time.
namespace steptree::detail {

/// A line that has places, and by which one.
struct RemoteHold : Hold {
    RemotePlace* place = nullptr;  // null: it asked nobody
};

/// Of a place, on both sides.
struct PlaceState {
    /// Says on the tool's thread that it's lost.
    struct Losing : RemoteNode {
        std::shared_ptr<RemotePlace> of;
        const char* why = nullptr;
    };

    PlaceState(Step& lock, std::shared_ptr<RemoteLines> of) noexcept;

    const std::shared_ptr<RemoteLines> lines;
    const CoreRef core;
    Losing losing;
    // Under the lines' lock.
    RemoteWait* wait = nullptr;
    std::string token;
    std::shared_ptr<RemotePlace> held;  // by its line, or what that has abandoned: it itself
    KeptHold* keptBy = nullptr;
    RemotePlace* nextKept = nullptr;
    // The tool's thread.
    LeaseNode lease;
};

/// A line that waits for a place.
struct RemoteWait : Waiter {
    RemoteWait(RemoteGuard& guard, std::shared_ptr<RemotePlace> place, Line& line,
               Completion completion) noexcept;
    RemoteWait(const RemoteWait&) = delete;
    RemoteWait& operator=(const RemoteWait&) = delete;
    ~RemoteWait() { guard.gone(*this); }
    void leave(Step&) noexcept { guard.giveUp(*this); }

    RemoteGuard& guard;
    const std::shared_ptr<RemotePlace> place;
};

struct RemoteLines {
    /// Under the lock, as is what follows. There's room for those who wait.
    void reserve();
    /// The line is in once more.
    void enter(Line& line, RemotePlace& place) noexcept;
    /// It isn't, after all.
    void undo(Line& line) noexcept;
    /// It's in once less. What it has had then, if that goes back, or is kept by what it has
    /// abandoned.
    std::shared_ptr<RemotePlace> leave(RemoteHold& hold, bool& isKept) noexcept;
    /// Nothing that was abandoned keeps it any more.
    std::shared_ptr<RemotePlace> letGo(KeptHold& kept) noexcept;
    /// Nobody has anything.
    void clear() noexcept;
    bool isEmpty() const noexcept {
        return waiters.empty() && holds.count() == 0 && kept == nullptr;
    }
    static PlaceState& of(RemotePlace& place) noexcept { return *place.state_; }

    std::mutex mutex;
    Waiters waiters;
    LineTable<RemoteHold> holds;
    RemotePlace* kept = nullptr;
};

}  // namespace steptree::detail
