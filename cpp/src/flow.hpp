#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "fast.hpp"
#include "steptree/options.hpp"
#include "tree.hpp"

/// Flows, from being made to being destroyed.
namespace steptree::detail {

Flow& makeFlow(ToolCore& core, const Flow* like);
std::unique_ptr<IFlow> instanceOf(const Flow& like);
/// One that is there already; null: there is none.
inline Flow* keptFlow(ToolCore& core) noexcept {
    return static_cast<Flow*>(kKeptFlow && core.onOwnThread() ? core.flowsKept.take() : nullptr);
}
/// How many bodies a branch runs in its turn.
constexpr std::uint32_t kBranchBurst = 1;
void finish(Flow& flow, OutcomeKind kind, ErrorRef error) noexcept;
/// The same for an ok without values that nobody wants to know of.
inline void endBare(Flow& flow) noexcept {
    flow.clearArena();
    LiveFlows::remove(flow);
    flow.running.store(false, std::memory_order_relaxed);
}
void destroyFlow(Flow& flow) noexcept;
// ---- rootflow.cpp
void startFlow(Flow& flow, IFlow::Done* done, bool isPromise);
void startFlowUntil(Flow& flow, IFlow::Done* done, bool isPromise, std::stop_token signal);

// ---- flow.cpp
/// It has ended, and goes: it was its tool's.
void leaveOwned(Flow& flow) noexcept;
/// The same when it has settled its promise, or nobody does that.
void leaveRun(Flow& flow) noexcept;
/// Its owner goes, and code that keeps it is on the native stack.
void abandon(Flow& flow) noexcept;
/// The flow is part of its owner, idle, and nothing refers to it any more.
void destroyFixed(Flow& flow) noexcept;
/// It was made on another thread than its tool's, and nothing of it has reached that yet.
bool isUnknownToTool(const Flow& flow) noexcept;
/// On its tool's thread: keeps a flow whose owner goes for the next one, if it is as that will be.
inline bool keepFlow(Flow& flow) noexcept {
    ToolCore& core = *flow.tool;
    return kKeptFlow && core.onOwnThread() && flow.fresh() && core.flowsKept.keep(flow);
}

}  // namespace steptree::detail
