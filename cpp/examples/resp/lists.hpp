#pragma once

#include "client.hpp"
#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// LPUSH key element [element ...]
void lpush(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// LLEN key
void llen(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// BLPOP key [key ...] timeout: seconds, 0 waits for ever
void blpop(steptree::IAsyncSteps& asi, Client& client, const Command& args);

}  // namespace resp
