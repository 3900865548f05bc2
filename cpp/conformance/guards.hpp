#pragma once

#include <string>

#include "world.hpp"

namespace conformance {

/// Makes the guard that is described: `mutex`, `throttle`, `limiter`, `rwlock`, or a `custom` one.
void makeGuard(World& world, const std::string& name, const Json& description);
void makeChannel(World& world, const std::string& name, const Json& description);

}  // namespace conformance
