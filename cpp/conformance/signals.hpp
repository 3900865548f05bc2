#pragma once

#include "world.hpp"

namespace conformance {

/// Takes the signal of the step; when it's aborted, that is logged and the actions are done.
void listen(World& world, const Context& context, const Json& action);
void abort(World& world, const Context& context, const Json& action);
void logAborted(World& world, const Context& context, const Json& action);

}  // namespace conformance
