#pragma once

#include <cstdint>

#include "steptree/iasyncsteps.hpp"

// What the host and its plug-ins agree on; both are built apart from each other.
extern "C" {

/// The interface that the plug-in was built against: steptree::kAbi.
STEPTREE_VISIBLE std::uint32_t pluginAbi();

/// Adds the plug-in's steps: takes the name to greet from the state "name", and how many
/// milliseconds to hesitate from "hesitate"; results in a std::string.
STEPTREE_VISIBLE void pluginSteps(steptree::IAsyncSteps& asi);
}
