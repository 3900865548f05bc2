#pragma once

#include <cstdint>

namespace steptree::detail {

class ToolCore;
struct CompletionOps;
struct ErrorData;
struct Flow;
struct RunNode;

/// What the flows of one tool share. Tool's thread only, but for `core` and `ops`.
struct EngineShare {
    explicit EngineShare(ToolCore& core);
    EngineShare(const EngineShare&) = delete;
    EngineShare& operator=(const EngineShare&) = delete;
    ~EngineShare();

    /// The tool closes and will not run this node of the engine's.
    void dropped(RunNode& node) noexcept;

    ToolCore& core;
    const CompletionOps& ops;
    std::uint64_t order = 0;      // of errors, for `also`
    Flow* errorFlow = nullptr;    // whose handler may look at `error`
    ErrorData* error = nullptr;   // the error views of that flow
    ErrorData* outOfMemory;       // made in time
    Flow* cancelFirst = nullptr;  // cancels that wait for the end of the closing that runs
    Flow* cancelLast = nullptr;
    std::uint32_t cancelHandlers = 0;  // how many cancel handlers are on the native stack
    bool draining = false;             // queued cancels are being performed
};

}  // namespace steptree::detail
