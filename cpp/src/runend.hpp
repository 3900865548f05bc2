#pragma once

#include "tree.hpp"

/// The end of a flow that run() has started: its promise.
namespace steptree::detail {

/// Settles it from an immediate of the flow itself. Takes the values.
void tellRunEnd(Flow& flow, OutcomeKind kind, const ErrorRef& error, Results& values) noexcept;
bool isRunEnd(const RunNode& node) noexcept;
/// The tool goes, and that immediate with it.
void dropRunEnd(Flow& flow) noexcept;
/// Of a flow that settles a promise, and never will.
void dropPromise(Flow& flow) noexcept;

}  // namespace steptree::detail
