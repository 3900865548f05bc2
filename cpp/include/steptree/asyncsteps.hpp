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
///
/// A step that waits until something is so, and for that until others tell it, looks and calls
/// waitExternal() in one body: between two steps other flows run, and what they tell is lost.
class AsyncSteps final : public IFlow {
  public:
    explicit AsyncSteps(Tool& tool);
    /// InternalError if `options.burst` is 0.
    AsyncSteps(Tool& tool, Options options);
    AsyncSteps(const AsyncSteps&) = delete;
    AsyncSteps& operator=(const AsyncSteps&) = delete;

    /// Cancels the flow if it runs; also in its own bodies, handlers and `done`, none of which is
    /// destroyed under its own feet. On another thread than its tool's: waits for that; but within
    /// a callback of another tool, where two could wait for each other, the flow goes a little
    /// later. [cancel-35] [cancel-36]
    ~AsyncSteps() override;

    /// On another thread than its tool's both wait for that. Within a callback of another tool:
    /// InternalError; a canceller that was taken before does it from there. [cancel-16] [cancel-33]
    void cancel(std::string_view reason = {}) override;
    Canceller canceller() override;
    bool running() const noexcept override;
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
