#pragma once

#include <string>
#include <string_view>

#include "connection.hpp"
#include "steptree/iasyncsteps.hpp"
#include "wire.hpp"

namespace steptree::detail::redis {

/// Adds a step that runs a script on the keys below `base`, and leaves what that has answered, a
/// Reply. If it hasn't: RedisFailed.
void askScript(IAsyncSteps& asi, RedisConnection& connection, const std::string& base,
               std::string_view script, Words args);
/// The same of a command.
void ask(IAsyncSteps& asi, RedisConnection& connection, Words words);

}  // namespace steptree::detail::redis
