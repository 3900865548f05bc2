#pragma once

#include "steptree/abi.hpp"
#include "steptree/detail/rootflow.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/options.hpp"
#include "steptree/tool.hpp"

namespace steptree {

/// The flow itself: `AsyncSteps flow{tool};`. The tool is to live longer than what it runs; a flow
/// whose tool has gone only can be destroyed, which still calls its cancel handlers.
///
/// A flow that nobody waits for keeps itself: `flow->execute([flow](Outcome&) {})`, with a
/// shared_ptr. It goes when it has ended, or with its tool, which drops that `done`: its cancel
/// handlers are called then, on the thread that destroys the tool.
///
/// A step that waits until something is so, and for that until others tell it, looks and calls
/// waitExternal() in one body: between two steps other flows run, and what they tell is lost.
/// Guide: docs/waiting.md#flows-in-flows
///
///     AsyncSteps flow{tool};
///     Future<std::string> page = flow.add(profile.with(42)).promise<std::string>();
class STEPTREE_VISIBLE AsyncSteps final : public detail::RootFlow {
  public:
    /// A flow, idle and empty, with the usual options.
    explicit AsyncSteps(Tool& tool);
    /// InternalError if `options.burst` is 0.
    AsyncSteps(Tool& tool, Options options);

    /// Cancels the flow if it runs; also in its own bodies, handlers and `done`, none of which is
    /// destroyed under its own feet. On another thread than its tool's: waits for that; but within
    /// a callback of another tool, where two could wait for each other, and while another flow is
    /// being closed, the flow goes a little later.
    ~AsyncSteps() override;

    /// For the runtime itself.
    explicit AsyncSteps(detail::FlowHead& flow) noexcept : RootFlow(&flow) {}

  private:
    void make(Tool& tool);
};

}  // namespace steptree
