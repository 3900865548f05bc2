#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptree/abi.hpp"
#include "steptree/snapshotoptions.hpp"

namespace steptree {

/// A step that is open.
struct StepSnapshot {
    /// As paths show it: a name or a number, `#0` of a round or an attempt, `|0` or `|name` of a
    /// branch, `~0` of a deferred function.
    std::string element;
    /// The call that makes it: `step`, `steps`, `loop`, `sync`, …; `defer`.
    std::string kind;
    /// What is left of the limit that it has set, in milliseconds; none: it has set none.
    std::optional<std::int64_t> timeout{};
    /// Where its body was written, `order.cpp:12`, or `in order()`; empty: it has none, or it isn't
    /// known, or nobody has asked. See SnapshotOptions.
    std::string source{};
};

/// What a line waits for.
struct WaitSnapshot {
    /// `turn`, `code`, `stop`, `guard`, `send`, `receive`, `timer`, `awaitable`, `completion` or
    /// `success`: see the table of the chapter "observe". In JSON it is `for`.
    std::string what;
    /// `timer`: how many milliseconds are left; none: it waits for ever.
    std::optional<std::int64_t> ms{};
    /// `guard`: the `id` of one of the runtime's.
    std::optional<std::uint64_t> guard{};
    /// `guard`: which one it is, `mutex`, `limiter`, …; `rwlock.read` or `rwlock.write`; empty: one
    /// of the program's own.
    std::string kind{};
    /// Of the guard or channel, as it was given; empty: it has none.
    std::string name{};
    /// `guard`: the place in its queue, from 1 on.
    std::optional<std::int64_t> place{};
    /// For how many milliseconds it has waited; none: it's not known, as nobody observes the tool.
    std::optional<std::int64_t> since{};
};

/// A line of execution: that of a flow, or a branch. They may be nested any number deep.
struct STEPTREE_VISIBLE LineSnapshot {
    /// Its open steps, the outermost first.
    std::vector<StepSnapshot> steps;
    /// None: for the lines inside.
    std::optional<WaitSnapshot> waits;
    /// Inside of the last step.
    std::vector<LineSnapshot> lines;

    LineSnapshot() = default;
    LineSnapshot(const LineSnapshot& other);
    LineSnapshot(LineSnapshot&& other) noexcept = default;
    LineSnapshot& operator=(LineSnapshot other) noexcept;
    ~LineSnapshot();
};

/// What a flow is doing.
struct FlowSnapshot {
    /// No other flow of the process has it.
    std::uint64_t id = 0;
    /// That of its options.
    std::string name;
    /// `idle`, `running`, or `cancelling`: its cancel was asked for, and it hasn't ended.
    std::string state;
    /// Whether a signal ends it.
    bool signal = false;
    /// Its nearest deadline, in milliseconds from now.
    std::optional<std::int64_t> deadline{};
    /// How many milliseconds ago it has begun; none: it's not known, as nobody observed the tool.
    std::optional<std::int64_t> age{};
    /// None: it's idle.
    std::optional<LineSnapshot> line{};
};

/// A guard that lines have, or wait for.
struct GuardSnapshot {
    /// A line that has it: whose flow, and the path of where that line is now.
    struct Holder {
        std::uint64_t flow = 0;
        std::string path;
    };

    /// No other guard of the process has it.
    std::uint64_t id = 0;
    /// `mutex`, `throttle`, `limiter`, `rwlock`, `gate`, `barrier`, `breaker`.
    std::string kind;
    std::string name;
    std::int64_t waiting = 0;
    std::optional<std::int64_t> active{};
    /// None: it isn't limited.
    std::optional<std::int64_t> available{};
    std::vector<Holder> holders{};
};

/// What all flows of a tool that run are doing. It is plain data, as `spec/snapshot.schema.json`
/// says, and nothing changes it.
///
///     for (const auto& flow : tool.snapshot().flows) {
///         if (flow.line->waits) log(flow.name + " waits for " + flow.line->waits->what);
///     }
struct Snapshot {
    std::int64_t time = 0;  ///< of the tool, in milliseconds
    std::vector<FlowSnapshot> flows;
    std::vector<GuardSnapshot> guards;  ///< those that lines have, or wait for
};

}  // namespace steptree
