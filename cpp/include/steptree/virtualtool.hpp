#pragma once

#include <cstdint>

#include "steptree/imempool.hpp"
#include "steptree/tool.hpp"

namespace steptree {

/// A tool whose time is virtual: nothing sleeps. Belongs to one thread, the one that calls run()
/// and advance(); others may schedule and complete. Time starts at 0 and moves between passes only:
/// to the next timer when nothing else is left, and by 1 ms after a pass once 256 bodies and
/// immediates have run at one instant, so that a busy loop meets its deadline. [tool-16] [tool-17]
/// [tool-18] [tool-19]
class VirtualTool final : public Tool {
  public:
    struct Options {
        std::uint32_t seed = 0;    ///< of the numbers of random() [tool-33]
        IMemPool* pool = nullptr;  ///< not owned; null: the tool's own
    };

    /// `pool`: see IMemPool; null: the tool's own.
    explicit VirtualTool(IMemPool* pool = nullptr);
    explicit VirtualTool(const Options& options);

    /// Runs until nothing is pending. Inside a callback of this tool: InternalError. [tool-12]
    /// [tool-20]
    void run();

    /// Runs as run() does, but no further than `ms` from now; time stands exactly there at the end.
    /// A loop that never rests is left after 256 bodies at that last instant. Negative, or inside a
    /// callback of this tool: InternalError. [tool-21]
    void advance(std::int64_t ms);

  private:
    void runUntil(std::int64_t end);
    static void moveTo(detail::ToolCore& core, std::int64_t time) noexcept;
};

}  // namespace steptree
