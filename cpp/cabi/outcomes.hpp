#pragma once

#include "functions.hpp"
#include "steptree/outcome.hpp"

namespace steptree::cabi {

/// How a flow has ended, or a step closes, as C sees it for as long as this lives.
class LentOutcome : public steptree_outcome {
  public:
    explicit LentOutcome(const Outcome& of)
        : steptree_outcome{}, lent_(const_cast<Results&>(of.values), false) {
        size = sizeof(steptree_outcome);
        kind = static_cast<std::uint32_t>(of.kind);
        values = lent_.values;
        count = lent_.count;
        code = textOf(of.code);
        reason = textOf(of.reason);
        if (of.error == nullptr) return;
        error_ = makeError(of.error);
        error = error_.get();
    }
    LentOutcome(const LentOutcome&) = delete;
    LentOutcome& operator=(const LentOutcome&) = delete;

  private:
    Lent lent_;
    OwnedError error_;
};

/// A deferred function, or unlock() of a guard.
struct Deferred {
    steptree_deferred function;
    Data data;

    void operator()(IAsyncSteps& asi, const Outcome& outcome) const {
        const LentOutcome lent(outcome);
        raise(function(cHandle(asi), &lent, data.get()));
    }
};

/// What is told the end of a flow.
struct Done {
    void (*call)(const steptree_outcome*, void*);
    Data data;

    explicit Done(const steptree_done& of) noexcept
        : call(of.call), data(of.data, of.drop, of.call) {}
    void operator()(Outcome& outcome) const {
        const LentOutcome lent(outcome);
        if (call != nullptr) call(&lent, data.get());
    }
};

}  // namespace steptree::cabi
