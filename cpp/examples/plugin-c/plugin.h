#ifndef PLUGIN_H
#define PLUGIN_H

#include "steptree/steptree.h"

/* What the host and its plug-ins agree on; both are built apart from each other. */
#ifdef __cplusplus
extern "C" {
#endif
#define EXPORTED __attribute__((visibility("default")))

/* The interface that the plug-in was built against: STEPTREE_ABI. */
EXPORTED uint32_t plugin_abi(void);

/* A body, whose data is the host's steptree_api. Takes the name to greet from the state "name", and
 * how many milliseconds to hesitate from "hesitate"; results in a string. */
EXPORTED const steptree_error* plugin_body(steptree_step* asi, const steptree_args* args,
                                           void* data);

#ifdef __cplusplus
}
#endif
#endif
