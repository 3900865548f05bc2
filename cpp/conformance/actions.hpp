#pragma once

#include "world.hpp"

namespace conformance {

/// Does the actions of a body, handler or cancel handler in order.
void perform(World& world, const Context& context, const Json& actions);

/// Actions outside of bodies: what they throw goes no further.
void external(World& world, const Json& actions);

}  // namespace conformance
