#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptree/tool.hpp"

namespace steptree {

namespace detail {
struct Figures;
}

/// What a Metrics gives. Sums are since it was made; times are in milliseconds with a fraction, by
/// the machine's clock, also of a VirtualTool; each `max` is since the last read().
struct MetricsRead {
    /// Flows by their outcomes.
    struct Ended {
        std::uint64_t ok = 0;
        std::uint64_t error = 0;
        std::uint64_t cancelled = 0;
    };
    /// How long turns took.
    struct Turn {
        double sum = 0;
        double max = 0;
    };
    /// How long others had to wait for the tool's thread: what other threads have completed,
    /// timers, and the handlers of the loop that drives the tool, if there is one. That is from the
    /// first turn of a pass to its end; what handlers of that loop take themselves isn't in it.
    struct Lag {
        std::uint64_t count = 0;  ///< passes that had a turn
        double sum = 0;
        double max = 0;
    };
    /// What GuardSnapshot says of it.
    struct Guard {
        std::string kind;
        std::string name;
        std::int64_t waiting = 0;
        std::optional<std::int64_t> active{};
        std::optional<std::int64_t> available{};
    };

    std::uint64_t alive = 0;   ///< flows that run now
    std::uint64_t begun = 0;   ///< flows that were executed
    Ended ended{};             ///< how they have ended
    std::uint64_t opened = 0;  ///< steps that were told as `opened`
    /// By their codes: each once on its way outwards, also one that a handler recovers. Behind
    /// 1,000 codes the rest is `other`.
    std::map<std::string, std::uint64_t> errors{};
    std::uint64_t turns = 0;  ///< of lines
    Turn turn{};              ///< how long they took
    Lag lag{};                ///< how long others waited meanwhile
    /// Those that a snapshot shows: that a line has, or waits for.
    std::vector<Guard> guards{};
};

/// Counts and measures what the flows of a tool do, from when it's made until it's destroyed or
/// cancelled: how many run, how they end, errors by code, how long turns take and how long others
/// wait for the thread, queues of guards. Nothing is paid before. An event takes no memory, but for
/// a code that is new, or errors that pass more steps at a time than ever. It may outlive the tool.
/// Guide: docs/production.md#what-to-measure
///
///     Metrics metrics(tool);
///     if (metrics.read().lag.max > 100) log("somebody keeps the thread for long");
class STEPTREE_VISIBLE Metrics {
  public:
    /// Counts from now on. On the tool's thread; on another: InternalError.
    explicit Metrics(Tool& tool);
    Metrics(Metrics&& other) noexcept;
    Metrics& operator=(Metrics&& other) noexcept;
    ~Metrics();

    /// The figures of now. Takes a snapshot, so some time for each line that runs. On the tool's
    /// thread, or when the tool is gone, and with it flows and guards; on another thread:
    /// InternalError.
    MetricsRead read();

    /// Nothing is counted any more; what was stays readable. Any thread. Again: nothing.
    void cancel() noexcept;
    /// Whether it counts.
    bool valid() const noexcept;

  private:
    std::shared_ptr<detail::Figures> figures_;
};

}  // namespace steptree
