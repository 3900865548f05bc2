#pragma once

#include <exception>
#include <string>

#include "steptree/results.hpp"

namespace steptree {

/// How it has ended.
enum class OutcomeKind : unsigned char { ok, error, cancelled };

/// How a flow has ended: what `done` of `execute` gets; or how a step closes: what deferred
/// functions and `unlock()` get. Guide: docs/cleanup.md#defer
struct Outcome {
    OutcomeKind kind = OutcomeKind::ok;
    /// Of an ok.
    Results values;
    /// What `promise()` is rejected with: the native exception itself or a StepError; null for ok.
    std::exception_ptr error;
    /// Of an error; `Canceled` for a cancel.
    std::string code;
    /// Of a cancel: what `cancel` was given. Of a step also the code that is raised where the
    /// closing ends, `break` or `continue`.
    std::string reason;
};

}  // namespace steptree
