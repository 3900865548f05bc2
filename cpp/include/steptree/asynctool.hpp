#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "steptree/abi.hpp"
#include "steptree/caller.hpp"
#include "steptree/clock.hpp"
#include "steptree/imempool.hpp"
#include "steptree/tool.hpp"

namespace steptree {

/// The event loop of real time: runs on a thread of its own, or is driven from outside. A pass that
/// has used up 1 ms makes way for timers, whatever its flows still want to do.
///
/// Destruction drops what is pending, unrun, with the `done` and promises of flows that run; a
/// callback that runs at the moment is waited for, unless it is the one that destroys the tool.
/// Guide: docs/waiting.md#event-loops
///
///     AsyncTool tool;  // has a thread of its own
///     tool.start(serve.with(client));
class STEPTREE_VISIBLE AsyncTool final : public Tool {
  public:
    /// As a delay: nothing is due.
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    /// What iterate() has left to do.
    struct Left {
        bool work;           ///< callbacks or timers are pending
        std::int64_t delay;  ///< call again after so many ms: 0 = at once, kNever = only when woken
    };

    /// Of a tool that is driven from outside.
    struct Driven {
        /// Called once after an iterate() with nothing to do at once, by whichever thread schedules
        /// something then or takes back a timer: what that iterate() has told isn't true any more.
        /// It may also come while iterate() is due anyway. It must only signal, and not throw.
        Callback wake = {};
        Clock* clock = nullptr;                  ///< not owned; null: Clock::steady()
        IMemPool* pool = nullptr;                ///< not owned; null: the tool's own
        std::optional<std::uint32_t> seed = {};  ///< of random(); without: chosen at random
        /// For a tool that several threads iterate, one after the other, as a strand does: it is no
        /// thread's in between. Asked on any that isn't the tool's, also on several at a time; must
        /// not wait, throw or use the tool.
        detail::Function<Caller()> caller = {};
    };

    /// Starts a thread, which is the tool's from now on. `pool`: see IMemPool; null: the tool's
    /// own. `seed`: of random(); without one it is chosen at random.
    explicit AsyncTool(IMemPool* pool = nullptr, std::optional<std::uint32_t> seed = {});

    /// Runs in iterate() only. Belongs to the thread that called it last, before the first call to
    /// the one that makes the tool; once that has ended, to the next thread that would wait for it.
    /// With `caller` it belongs to that thread in iterate() only; then to whoever is told to be
    /// inside, or was the last.
    explicit AsyncTool(Driven options);

    ~AsyncTool();

    /// One pass over what is ready, then what is due. Inside a callback of this tool, while another
    /// thread is in one, or if the tool has its own thread: InternalError.
    Left iterate();

  private:
    struct Runner;

    Left iterateAnew();

    std::shared_ptr<Runner> runner_;
};

}  // namespace steptree
