#pragma once

#include <memory>
#include <string>

#include "world.hpp"

namespace conformance {

/// Makes the guard that is described: `mutex`, `throttle`, `limiter`, `rwlock`, or a `custom` one.
/// At `place`, where one like it is, or else anywhere; returns where.
std::shared_ptr<void> makeGuard(World& world, const std::string& name, const Json& description,
                                const std::shared_ptr<void>& place = nullptr);
/// Of a section: the guard, or places of it.
AnyGuard guardOf(World& world, const Json& form);
/// As the model writes it.
std::string countText(std::int64_t count);

/// The same of a channel.
std::shared_ptr<void> makeChannel(World& world, const std::string& name, const Json& description,
                                  const std::shared_ptr<void>& place = nullptr);

}  // namespace conformance
