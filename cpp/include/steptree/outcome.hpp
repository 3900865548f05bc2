#pragma once

#include <exception>
#include <string>

#include "steptree/results.hpp"

namespace steptree {

enum class OutcomeKind : unsigned char { ok, error, cancelled };

/// How a flow ended: what `done` of `execute` gets. [model-12]
struct Outcome {
    OutcomeKind kind = OutcomeKind::ok;
    /// Of an ok.
    Results values;
    /// What `promise()` is rejected with: the native exception itself or a StepError; null for ok.
    std::exception_ptr error;
    /// Of an error; `Canceled` for a cancel.
    std::string code;
    /// What `cancel` was given.
    std::string reason;
};

}  // namespace steptree
