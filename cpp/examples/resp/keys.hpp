#pragma once

#include "client.hpp"
#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// DEL key [key ...]
void del(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// EXPIRE key seconds
void expire(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// PEXPIRE key milliseconds
void pexpire(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// TTL key: whole seconds, rounded
void ttl(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// PTTL key
void pttl(steptree::IAsyncSteps& asi, Client& client, const Command& args);

}  // namespace resp
