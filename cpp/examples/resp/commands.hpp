#pragma once

#include "client.hpp"
#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// Runs one command as the step of `asi`, once it is let in, within the time that a command may
/// take. The step's result is the reply; its error codes are the first words of error replies.
/// `args` have to live as long as the step.
void runCommand(steptree::IAsyncSteps& asi, Client& client, const Command& args);

}  // namespace resp
