#pragma once

#include <cstddef>

#include "steptree/steptree.h"

/// The tables of functions; each is made in the file of its calls, whose names are its own.
namespace steptree::cabi {

namespace errorcalls {
extern const steptree_error_api kApi;
}
namespace valuecalls {
extern const steptree_value_api kApi;
}
namespace addcalls {
extern const steptree_add_api kApi;
}
namespace stepcalls {
extern const steptree_step_api kApi;
}
namespace completioncalls {
extern const steptree_completion_api kApi;
}
namespace awaitercalls {
extern const steptree_awaiter_api kApi;
}
namespace cancellercalls {
extern const steptree_canceller_api kApi;
}
namespace statecalls {
extern const steptree_state_api kApi;
}
namespace flowcalls {
extern const steptree_flow_api kApi;
}
namespace toolcalls {
extern const steptree_tool_api kApi;
}
namespace handlecalls {
extern const steptree_handle_api kApi;
}
namespace definecalls {
extern const steptree_define_api kApi;
}
namespace guardcalls {
extern const steptree_guard_api kApi;
}
namespace channelcalls {
extern const steptree_channel_api kApi;
}
namespace signalcalls {
extern const steptree_signal_api kApi;
}
namespace scopecalls {
extern const steptree_scope_api kApi;
}
namespace observecalls {
extern const steptree_observe_api kApi;
}
namespace hostcalls {
/// Of the table that adds steps.
const steptree_error* addService(steptree_adder* to, steptree_plugin_host* host, steptree_text name,
                                 const steptree_value* values, std::size_t count,
                                 const steptree_closure* closure);
extern const steptree_host_api kApi;
}  // namespace hostcalls

}  // namespace steptree::cabi
