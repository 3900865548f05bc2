#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "steptree/detail/function.hpp"
#include "steptree/throttle.hpp"
#include "steptree/tool.hpp"

namespace steptree {

namespace detail {
struct Stalls;
class Watchdog;
}  // namespace detail

/// A body that holds its tool's thread at the moment.
struct StuckBody {
    std::uint64_t flow = 0;  ///< as in snapshots; 0: it has neither number nor name yet
    std::string name{};      ///< the flow's; of a long one the beginning
    std::string path{};      ///< of the step when the body was called; of a long one the end
    std::int64_t ms = 0;     ///< for how long
};

/// Of a StallWatch: one of both times, or both.
struct StallOptions {
    /// How long a body may hold the tool's thread, at least a millisecond: by the tool's clock, of
    /// a VirtualTool by the machine's, as while it's stuck. Without: as long as it likes.
    std::optional<Period> body{};
    /// How long a line may wait, at least a millisecond of the tool. Without: for ever.
    std::optional<Period> wait{};
    /// With `body`: is told of one that takes longer while it still does, once, on a thread of the
    /// watch. It may not throw, and may not wait for the tool. Without: a line on standard error.
    detail::Function<void(const StuckBody&)> onStuck{};
    /// Whether its trees say where the bodies of steps were written, as of SnapshotOptions.
    bool locate = false;
};

/// Tells `report` of a flow what holds it up: `Stalled`, a body that took longer than `body`, when
/// it has returned; `StalledWait`, a line that has waited longer than `wait`. Each once, with the
/// path, and the tree of the flow. From when it's made until it's destroyed or cancelled. It has a
/// thread of its own, but not for waits of a VirtualTool. It keeps no tool running, and may outlive
/// its own. Guide: docs/hangs.md#what-takes-too-long
///
///     StallWatch stalls(tool, {.body = 50, .wait = 10'000});
///     stalls.cancel();
class STEPTREE_VISIBLE StallWatch {
  public:
    /// On the tool's thread, and with what can be: else InternalError. std::system_error if it
    /// can't have its thread.
    StallWatch(Tool& tool, StallOptions options);
    StallWatch(StallWatch&& other) noexcept;
    StallWatch& operator=(StallWatch&& other) noexcept;
    ~StallWatch();

    /// Nothing is told any more, unless it is right now on another thread: what `onStuck` does is
    /// waited for, if it isn't that which calls. Any thread. Again: nothing.
    void cancel() noexcept;
    /// Whether it watches.
    bool valid() const noexcept;

  private:
    std::shared_ptr<detail::Stalls> stalls_;
    std::shared_ptr<detail::Watchdog> watchdog_;
};

}  // namespace steptree
