#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "steptree/completion.hpp"
#include "steptree/error.hpp"
#include "steptree/outcome.hpp"

namespace steptree {

class IFlow;

namespace detail {

class ToolCore;

/// A flow that a step awaits: executed when the step opens, and ended with it. `Flow` is IFlow,
/// which adders don't know: see FlowOf. `Owner` is a pointer to one, a smart one if it's the
/// step's.
template <class Flow, class Owner>
class Child {
  public:
    explicit Child(Owner owner) : owner_(std::move(owner)) {
        if (owner_ == nullptr)
            throw StepError(errors::InternalError, "await: expected a flow, got null");
    }

    void subscribe(Awaiter awaiter) {
        try {
            flow().execute([awaiter](Outcome& outcome) {
                if (outcome.kind != OutcomeKind::ok) return awaiter.fail(outcome.error);
                if (outcome.values.empty()) return awaiter.success();
                awaiter.success(std::move(outcome.values));
            });
            executed_ = true;
        } catch (...) {
            awaiter.fail(std::current_exception());
        }
    }
    /// Its end is told when nothing of it is open.
    bool cancel() {
        if (executed_) flow().cancel();
        return executed_;
    }

    const ToolCore& core() const noexcept { return *flow().settler().tool; }
    bool running() const noexcept { return flow().running(); }

  private:
    Flow& flow() const noexcept { return *owner_; }

    Owner owner_;
    bool executed_ = false;
};

/// Of a class that is derived from IFlow: a name that is looked up where the class is known.
template <class F>
using FlowOf = std::conditional_t<std::is_base_of_v<IFlow, F>, IFlow, F>;

}  // namespace detail
}  // namespace steptree
