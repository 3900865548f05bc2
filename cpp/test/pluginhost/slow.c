/* A plug-in whose start takes until a byte can be read from a pipe; by another one it tells that it
 * has begun, and that it was stopped. Their numbers are in the environment, `SLOW`. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "steptree/steptree.h"

static int told;

static const steptree_error* start(const steptree_api* api, steptree_plugin_host* host,
                                   void* data) {
    const char* const pipes = getenv("SLOW");
    char* rest = NULL;
    char byte;
    (void)host;
    (void)data;
    if (pipes == NULL) return api->error->make(STEPTREE_TEXT("NoPipes"), STEPTREE_NO_TEXT, NULL);
    told = (int)strtol(pipes, &rest, 10);
    if (write(told, "b", 1) != 1 || read((int)strtol(rest, NULL, 10), &byte, 1) != 1) {
        return api->error->make(STEPTREE_TEXT("NoPipes"), STEPTREE_NO_TEXT, NULL);
    }
    return NULL;
}

static void stop(void* data) {
    (void)data;
    if (write(told, "e", 1) != 1) perror("slow");
}

const steptree_plugin_info* steptree_plugin(void) {
    static const steptree_plugin_info info = {sizeof info,
                                              STEPTREE_ABI,
                                              STEPTREE_TEXT_INIT("slow"),
                                              STEPTREE_TEXT_INIT("1.0.0"),
                                              NULL,
                                              0,
                                              sizeof(steptree_plugin_handler),
                                              &start,
                                              &stop,
                                              NULL};
    return &info;
}
