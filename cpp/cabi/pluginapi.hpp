#pragma once

#include "code.hpp"
#include "steptree/local.hpp"
#include "steptree/steptree.h"

namespace steptree::cabi {

/// The table that plug-ins get: what they give by it keeps them loaded. Programs that are none get
/// another one, so that they don't pay for that.
const steptree_api* pluginApi() noexcept;

/// Whose handler the step, or one around it, is.
const Local<Code*>& ofPlugin() noexcept;

}  // namespace steptree::cabi
