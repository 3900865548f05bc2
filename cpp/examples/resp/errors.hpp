#pragma once

#include <string>
#include <string_view>

#include "steptree/iasyncsteps.hpp"

/// The errors that several commands know. A code is the first word of the reply, an info is the
/// rest.
namespace resp {

[[noreturn]] void wrongType(steptree::IAsyncSteps& asi);

[[noreturn]] void notAnInteger(steptree::IAsyncSteps& asi);

[[noreturn]] void syntaxError(steptree::IAsyncSteps& asi);

[[noreturn]] void wrongArity(steptree::IAsyncSteps& asi, const std::string& name);

[[noreturn]] void unknownSubcommand(steptree::IAsyncSteps& asi, std::string_view name,
                                    const std::string& subcommand);

}  // namespace resp
