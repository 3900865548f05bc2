#pragma once

#include "steptree/steptree.h"

/// The tables of functions; each is made in the file of its calls.
namespace steptree::cabi {

extern const steptree_error_api kErrorApi;
extern const steptree_value_api kValueApi;
extern const steptree_add_api kAddApi;
extern const steptree_step_api kStepApi;
extern const steptree_completion_api kCompletionApi;
extern const steptree_state_api kStateApi;
extern const steptree_flow_api kFlowApi;
extern const steptree_tool_api kToolApi;
extern const steptree_handle_api kHandleApi;
extern const steptree_define_api kDefineApi;
extern const steptree_guard_api kGuardApi;
extern const steptree_channel_api kChannelApi;
extern const steptree_signal_api kSignalApi;
extern const steptree_scope_api kScopeApi;
extern const steptree_observe_api kObserveApi;

}  // namespace steptree::cabi
