#pragma once

#include <node_api.h>

#include "lender.hpp"
#include "steptree/cvalue.hpp"

namespace steptree::native {

/// A value of JavaScript as C has it. Bytes are lent, what else there is is copied. Throws
/// InternalError for what C can't have.
Value fromJs(napi_env env, Lender& lender, napi_value value);

/// The reverse. Bytes of JavaScript are what the native value has.
napi_value toJs(napi_env env, const steptree_value& value);

}  // namespace steptree::native
