#pragma once

#include <node_api.h>

#include "steptree/steptree.h"

namespace steptree::native {

/// What an error says of itself, as a plain object, which JavaScript makes an error of. With what
/// is behind it.
napi_value describe(napi_env env, const steptree_error* error);

}  // namespace steptree::native
