#pragma once

#include <cstdint>
#include <memory>

#include "steptree/detail/runqueue.hpp"

namespace steptree::detail {

class Budget;
class ToolCore;
struct CompletionOps;
struct End;
struct ErrorData;
struct Flow;
struct Slot;

struct DropEnd {
    void operator()(End* end) const noexcept;
};
using SpareEnd = std::unique_ptr<End, DropEnd>;

struct Observers;
struct DropObservers {
    void operator()(Observers* observers) const noexcept;
};

struct AbandonedWait;
/// One of those that a tool waits for.
struct AbandonedLink : Link {
    AbandonedWait* of = nullptr;
};

/// What the flows of one tool share. Tool's thread only, but for `core` and `ops`.
struct EngineShare {
    explicit EngineShare(ToolCore& core);
    EngineShare(const EngineShare&) = delete;
    EngineShare& operator=(const EngineShare&) = delete;
    ~EngineShare();

    /// Whether it tells the end of a flow; else it is a line's.
    bool isEnd(const RunNode& node) const noexcept;
    /// The tool closes and will not run this node of the engine's.
    void dropped(RunNode& node) noexcept;
    /// The tool goes: so do the flows that it owns.
    void destroyOwned() noexcept;
    /// The tool is closed, and nobody hears any more how its flows end.
    void dropEnds() noexcept;
    /// The last of the tool's queue, while its flows are observed.
    void queued(RunNode& node) noexcept;
    /// The tool's pass is over, while flows are observed.
    void passed() noexcept;
    /// When the first of those who observe is to be called, and that call.
    std::int64_t nextAlarm() const noexcept;
    void ring() noexcept;
    /// Whether observers are called.
    bool isTelling() const noexcept;
    /// The tool goes, and nothing is told any more.
    void dropObservers() noexcept;
    /// What another thread has taken comes through the inbox; see RemoteNode.
    void arrived(Slot& slot, bool alive) noexcept;

    ToolCore& core;
    const CompletionOps& ops;
    Budget* budget = nullptr;       // of the turn that runs
    std::uint64_t order = 0;        // of errors, for `also`
    Flow* errorFlow = nullptr;      // whose handler may look at `error`
    ErrorData* error = nullptr;     // the error views of that flow
    SpareEnd spareEnd;              // made in time, for an unhandled error; null while on its way
    ErrorData* outOfMemory;         // made in time
    List<RunNode> ends;             // of flows that run, to be told
    List<RunNode> cancels;          // flows whose cancel waits for the end of the closing that runs
    List<AbandonedLink> abandoned;  // what goes on without its step, see abandoned.cpp
    AbandonedWait* failed = nullptr;  // of them: the last one that has, in this callback
    std::uint32_t closings = 0;       // how many are on the native stack
    std::unique_ptr<Observers, DropObservers> observers;  // null: there has been none
    bool outlived = false;  // what they have closed leaves a line that isn't to be cancelled
};

}  // namespace steptree::detail
