#pragma once

#include "steptree/pluginhost.hpp"
#include "store.hpp"

namespace resp {

/// Offers the server's keys to plug-ins: `keys.get` takes a key and leaves its text as bytes, or
/// nothing; `keys.set` takes a key and a text, and replaces both value and expiry. Code: WRONGTYPE.
void offerKeys(steptree::PluginHost& plugins, Store& store);

}  // namespace resp
