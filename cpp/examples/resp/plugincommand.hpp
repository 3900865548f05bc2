#pragma once

#include <string>
#include <vector>

#include "client.hpp"
#include "parser.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// PLUGIN LIST | RELOAD file: one of `--plugin`, and no other, so that no client brings code
void plugin(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// False: no plug-in has that command. Else its steps are added, and the client may leave it when
/// it waits.
bool runPlugin(steptree::IAsyncSteps& asi, Client& client, const Command& args);

/// What COMMAND says of those of plug-ins.
std::vector<std::string> pluginEntries(const Plugins& plugins);

}  // namespace resp
