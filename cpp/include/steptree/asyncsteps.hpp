#pragma once

#include "steptree/iasyncsteps.hpp"
#include "steptree/iflow.hpp"
#include "steptree/options.hpp"
#include "steptree/tool.hpp"

namespace steptree {

namespace detail {
struct Flow;
}

/// The flow itself: `AsyncSteps flow{tool};`. The tool is to live longer than what it runs; a flow
/// whose tool has gone only can be destroyed, which still calls its cancel handlers. [model-14]
/// [cancel-35]
class AsyncSteps final : public IFlow {
  public:
    explicit AsyncSteps(Tool& tool);
    /// InternalError if `options.burst` is 0.
    AsyncSteps(Tool& tool, Options options);
    AsyncSteps(const AsyncSteps&) = delete;
    AsyncSteps& operator=(const AsyncSteps&) = delete;

    /// Cancels the flow if it runs; waits for its tool when called on another thread than that. A
    /// body of the flow that is running is not destroyed under its own feet. [cancel-35]
    /// [cancel-36]
    ~AsyncSteps() override;

    void cancel(std::string_view reason = {}) override;
    bool running() const noexcept override;
    Canceller canceller() override;
    std::unique_ptr<IFlow> newInstance() override;
    using IFlow::state;
    State& state() override;

    /// For the runtime itself.
    explicit AsyncSteps(detail::Flow& flow) noexcept : flow_(&flow) {}

  private:
    void addStep(const detail::StepSpec& spec) override;
    void* addBare(const detail::ClosureOps& ops) override;
    IParallel& addParallel(const detail::StepSpec& spec) override;
    void start(Done* done, bool isPromise) override;

    detail::Flow* flow_;
    bool started_ = false;
};

}  // namespace steptree
