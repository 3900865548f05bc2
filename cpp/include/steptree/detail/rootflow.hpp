#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string_view>

#include "steptree/abi.hpp"
#include "steptree/detail/runqueue.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/iflow.hpp"
#include "steptree/tool.hpp"

namespace steptree::detail {

/// What is seen of a flow from outside of the engine.
struct FlowHead : RunNode {
    std::atomic<bool> running{false};
    bool started = false;  // if it was made on another thread than its tool's
};

/// What AsyncSteps and NitroSteps have in common: all but where their flow lives.
class STEPTREE_VISIBLE RootFlow : public IFlow {
  public:
    RootFlow(const RootFlow&) = delete;
    RootFlow& operator=(const RootFlow&) = delete;

    /// On another thread than its tool's both wait for that. Within a callback of another tool:
    /// InternalError; a canceller that was taken before does it from there.
    void cancel(std::string_view reason = {}) final;
    Canceller canceller() final;
    bool running() const noexcept final { return head_->running; }
    /// An AsyncSteps.
    std::unique_ptr<IFlow> newInstance() final;
    using IFlow::state;
    State& state() final;
    FlowSnapshot snapshot(const SnapshotOptions& options = {}) final;

  protected:
    explicit RootFlow(FlowHead* flow = nullptr) noexcept : head_(flow) {}
    ~RootFlow() override = default;

    void start(Done* done, bool isPromise) final;
    void startUntil(Done* done, bool isPromise, std::stop_token signal) final;
    Settler settler() const noexcept final;

    FlowHead* head_;

  private:
    void addStep(const StepSpec& spec) final;
    void* addBare(const ClosureOps& ops) final;
    const void* addPair(const PairOps& ops, const void* pair) noexcept final;
    void addDefined(const Definition& definition) final;
    IParallel& addParallel(const StepSpec& spec) final;
    void whenClosed(Done told) final;
};

}  // namespace steptree::detail
