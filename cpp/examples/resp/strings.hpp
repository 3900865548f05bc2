#pragma once

#include "client.hpp"
#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// GET key
void get(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// SET key value [NX | XX] [EX seconds | PX milliseconds]
void set(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// INCR key
void incr(steptree::IAsyncSteps& asi, Client& client, const Command& args);

}  // namespace resp
