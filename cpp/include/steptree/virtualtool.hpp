#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/imempool.hpp"
#include "steptree/tool.hpp"

namespace steptree {

/// What comes next on a VirtualTool where several things are ready: lines, the first immediate, the
/// first due timer.
struct Order {
    /// 0: first come, first served. Else what the numbers of that seed choose, the same in both
    /// languages.
    Order(std::uint32_t given = 0) noexcept : seed(given) {}
    /// These choices, then 0 for ever; alternatives() tells how many each had.
    Order(std::vector<std::uint32_t> given) noexcept : choices(std::move(given)) {}

    std::uint32_t seed = 0;
    std::optional<std::vector<std::uint32_t>> choices;
};

/// A tool whose time is virtual: nothing sleeps. Belongs to one thread, the one that calls run()
/// and advance(); others may schedule and complete. Time starts at 0 and moves between passes only,
/// if no callback lets it pass: to the next timer when nothing else is left, and by 1 ms after a
/// pass once 256 bodies and immediates have run at one instant, so that a busy loop meets its
/// deadline. Guide: docs/testing.md
///
///     VirtualTool tool;
///     Future<> done = run(tool, poll);
///     tool.run();
class STEPTREE_VISIBLE VirtualTool final : public Tool {
  public:
    struct Options {
        std::uint32_t seed = 0;    ///< of the numbers of random()
        IMemPool* pool = nullptr;  ///< not owned; null: the tool's own
        Order order = 0;
    };

    /// `pool`: see IMemPool; null: the tool's own.
    explicit VirtualTool(IMemPool* pool = nullptr);
    /// With a seed, a pool, an order.
    explicit VirtualTool(const Options& options);
    ~VirtualTool();

    /// Runs until nothing is pending. Inside a callback of this tool, or while another thread is in
    /// one: InternalError.
    void run();

    /// Runs as run() does, but no further than `ms` from now; time stands exactly there at the end.
    /// A loop that never rests is left after 256 bodies at that last instant. Negative, or inside a
    /// callback of this tool: InternalError.
    void advance(std::int64_t ms);

    /// The clock moves on by so much, rounded up to milliseconds, as if the callback that calls
    /// this had worked so long. Nothing is called; timers that are due then fire before the next
    /// body or callback. Negative, infinite or no number: InternalError.
    template <class Time>
    void elapse(Time time) {
        work(detail::wholeMilliseconds(time));
    }

    /// How many things there were to choose from at each choice so far, if the order is a list;
    /// else none.
    const std::vector<std::uint32_t>& alternatives() const noexcept;

  private:
    class Choices;

    void work(std::int64_t ms);
    void runUntil(std::int64_t end);
    std::int64_t lastBefore(std::int64_t due, std::int64_t end) const noexcept;
    bool pass();
    bool isBusy() noexcept;
    void moveTo(std::int64_t time) noexcept;

    std::int64_t instant_ = 0;          // since when bodies are counted
    std::unique_ptr<Choices> choices_;  // null: first come, first served
};

}  // namespace steptree
