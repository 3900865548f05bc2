#pragma once

#include "world.hpp"

namespace conformance {

/// Runs a flow, whose end is logged unless nobody is to be told.
void execute(World& world, const Context& context, const Json& action);
/// Starts a flow that a scope or the tool owns.
void start(World& world, const Context& context, const Json& action);
void makeScope(World& world, const Context& context, const Json& action);
void draining(World& world, const Context& context, const Json& action);
void closeScope(World& world, const Context& context, const Json& action);
void drainScope(World& world, const Context& context, const Json& action);
/// Runs it, and logs how its promise settles.
void executeAsPromise(World& world, const Context& context, const Json& action);

}  // namespace conformance
