#pragma once

#include "world.hpp"

namespace conformance {

/// Does the actions of a body, handler or cancel handler in order.
void perform(World& world, const Context& context, const Json& actions);
/// Those from `first` on and before `end`.
void perform(World& world, const Context& context, const Json& actions, std::size_t first,
             std::size_t end);

/// Actions outside of bodies: what they throw goes no further.
void external(World& world, const Json& actions);

}  // namespace conformance
