#pragma once

#include <memory>
#include <string_view>

#include "steptree/iasyncsteps.hpp"
#include "steptree/iflow.hpp"
#include "steptree/tool.hpp"

namespace steptree::detail {

struct Flow;

/// What AsyncSteps and NitroSteps have in common: all but where their flow lives.
class RootFlow : public IFlow {
  public:
    RootFlow(const RootFlow&) = delete;
    RootFlow& operator=(const RootFlow&) = delete;

    /// On another thread than its tool's both wait for that. Within a callback of another tool:
    /// InternalError; a canceller that was taken before does it from there. [cancel-16] [cancel-33]
    void cancel(std::string_view reason = {}) final;
    Canceller canceller() final;
    bool running() const noexcept final;
    /// An AsyncSteps.
    std::unique_ptr<IFlow> newInstance() final;
    using IFlow::state;
    State& state() final;

  protected:
    RootFlow() noexcept = default;
    explicit RootFlow(Flow& flow) noexcept : flow_(&flow) {}
    ~RootFlow() override = default;

    Flow* flow_ = nullptr;

  private:
    void addStep(const StepSpec& spec) final;
    void* addBare(const ClosureOps& ops) final;
    IParallel& addParallel(const StepSpec& spec) final;
    void* makeRoom(const ClosureOps& ops);
    void start(Done* done, bool isPromise) final;
    void startWith(Done* done, bool isPromise);
};

}  // namespace steptree::detail
