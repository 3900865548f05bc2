#pragma once

#include <string>
#include <string_view>

#include "steptree/iasyncsteps.hpp"

/// The errors that several commands know. A code is the first word of the reply, an info is the
/// rest.
namespace resp {

void wrongType(steptree::IAsyncSteps& asi);

void notAnInteger(steptree::IAsyncSteps& asi);

void syntaxError(steptree::IAsyncSteps& asi);

void wrongArity(steptree::IAsyncSteps& asi, const std::string& name);

void unknownSubcommand(steptree::IAsyncSteps& asi, std::string_view name,
                       const std::string& subcommand);

}  // namespace resp
