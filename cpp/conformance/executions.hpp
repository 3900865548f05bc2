#pragma once

#include "world.hpp"

namespace conformance {

/// Runs a flow, whose end is logged unless nobody is to be told.
void execute(World& world, const Context& context, const Json& action);
/// Runs it, and logs how its promise settles.
void executeAsPromise(World& world, const Context& context, const Json& action);

}  // namespace conformance
