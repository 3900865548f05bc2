#pragma once

#include <memory>
#include <stop_token>

#include "steptree/iflow.hpp"
#include "steptree/options.hpp"

namespace steptree {

/// How a flow is started that nobody keeps: `tool.start(step, {.done = …, .signal = …})`.
struct StartOptions {
    /// Called once, from the tool, when the flow has ended; dropped if the tool goes before.
    /// Without it an error goes to `unhandled` of `options`, and without that the process aborts.
    IFlow::Done done = {};
    /// Cancels the flow when it's stopped; stopped already, no body runs.
    std::stop_token signal = {};
    /// Of the flow, and of any number of others, whose tools call the hooks: `const auto policy =
    /// std::make_shared<const Options>(Options{.unhandled = log})`. Without: those of the scope,
    /// else the usual ones.
    std::shared_ptr<const Options> options = {};
};

/// How `run` runs a flow: `run(tool, step, {.signal = stop.get_token(), .options = policy})`.
struct RunOptions {
    std::stop_token signal = {};                  ///< as in StartOptions
    std::shared_ptr<const Options> options = {};  ///< of the flow; the usual ones without
};

}  // namespace steptree
