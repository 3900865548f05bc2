#pragma once

#include "client.hpp"
#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// PING [message]
void ping(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// ECHO message
void echo(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// QUIT
void quit(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// HELLO [2 [SETNAME name]]
void hello(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// CLIENT ID | GETNAME | SETNAME name | SETINFO attribute value
void client(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// CONFIG GET parameter [parameter ...]
void config(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// STEPTREE.STATS: the server's counters as JSON
void stats(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// STEPTREE.FLOWS: what the flow of each client is doing, as a tree
void flows(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// STEPTREE.SLEEP seconds: a command that takes its time
void sleep(steptree::IAsyncSteps& asi, Client& client, const Command& args);

}  // namespace resp
