#pragma once

#include "client.hpp"
#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// Runs one command as the step of `asi`, within the time that a command may take. The step's
/// result is the reply; its error codes are the first words of error replies.
void runCommand(steptree::IAsyncSteps& asi, Client& client, const Command& args);

}  // namespace resp
