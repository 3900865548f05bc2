/* Loads another plug-in, on a thread of its own, which its `stop` waits for. What happens is told
 * by a pipe; by another one the other plug-in, see slow.c, is let go on. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "steptree/steptree.h"

static const steptree_api* api;
static steptree_plugin_host* host;

static pthread_t thread;
static int runs;
static int told;
static int go_on;
static char path[4096];

static void tell(const char* what) {
    if (write(told, what, 1) != 1) told = -1;
}

static void* load(void* data) {
    const steptree_text file = {path, strlen(path)};
    const steptree_error* const error = api->host->load(host, file, NULL);
    tell(error == NULL ? "l" : "r");
    return data;
}

/* Of a path, and the numbers of two pipes. */
static const steptree_error* loads(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_text file = args->values[0].of.text;
    (void)asi;
    (void)data;
    memcpy(path, file.data, file.size);
    told = (int)args->values[1].of.integer;
    go_on = (int)args->values[2].of.integer;
    runs = pthread_create(&thread, NULL, &load, NULL) == 0;
    return NULL;
}

static const steptree_error* start(const steptree_api* given, steptree_plugin_host* its,
                                   void* data) {
    (void)data;
    api = given;
    host = its;
    return NULL;
}

static void stop(void* data) {
    (void)data;
    if (!runs) return;
    if (write(go_on, "g", 1) == 1) pthread_join(thread, NULL);
    tell("s");
}

const steptree_plugin_info* steptree_plugin(void) {
    static const steptree_plugin_handler handlers[] = {
        {STEPTREE_TEXT_INIT("loads"), STEPTREE_TEXT_INIT(""), 3, 3, &loads, NULL},
    };
    static const steptree_plugin_info info = {sizeof info,
                                              STEPTREE_ABI,
                                              STEPTREE_TEXT_INIT("loader"),
                                              STEPTREE_TEXT_INIT("1.0.0"),
                                              handlers,
                                              1,
                                              sizeof handlers[0],
                                              &start,
                                              &stop,
                                              NULL};
    return &info;
}
