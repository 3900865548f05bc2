/* A plug-in for tests: it has the name that it's built with, and leaves what no other one does. */
#include "steptree/steptree.h"

#ifndef NAME
#define NAME "odd"
#endif

static const steptree_api* api;

static steptree_value value_of(uint32_t type) {
    steptree_value value = {0};
    value.tag = type;
    return value;
}

static const steptree_error* nothing(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)args;
    (void)data;
    return NULL;
}

static const steptree_error* yes(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value value = value_of(STEPTREE_BOOL);
    (void)args;
    (void)data;
    value.of.boolean = 1;
    return api->step->success(asi, &value, 1);
}

static const steptree_error* number(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value value = value_of(STEPTREE_DOUBLE);
    (void)args;
    value.of.number = *(const double*)data;
    return api->step->success(asi, &value, 1);
}

/* A list with all in it, and nothing beside it. */
static const steptree_error* several(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value items[3] = {value_of(STEPTREE_NOTHING), value_of(STEPTREE_INT64),
                               value_of(STEPTREE_BYTES)};
    steptree_value values[2] = {value_of(STEPTREE_LIST), value_of(STEPTREE_NOTHING)};
    (void)args;
    (void)data;
    items[1].of.integer = INT64_MIN;
    items[2].of.text.data = "\0\r\n\xff";
    items[2].of.text.size = 4;
    values[0].of.list.items = items;
    values[0].of.list.count = 3;
    return api->step->success(asi, values, 2);
}

static const steptree_error* map(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_value value = value_of(STEPTREE_MAP);
    (void)args;
    (void)data;
    return api->step->success(asi, &value, 1);
}

static const steptree_error* fail(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    (void)data;
    return api->step->error(asi, STEPTREE_TEXT("ODD"), STEPTREE_TEXT("caf\xc3\xa9\r\n+OK"));
}

static steptree_plugin_host* host;

/* What a service that isn't there is. */
static const steptree_error* ask(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    (void)data;
    return api->add->service(STEPTREE_ADDER(asi), host, STEPTREE_TEXT("keys.eat"), NULL, 0, NULL);
}

static const steptree_error* start(const steptree_api* tables, steptree_plugin_host* of,
                                   void* data) {
    (void)data;
    api = tables;
    host = of;
    return NULL;
}

static double whole = -2, fraction = 0.5;
static const steptree_plugin_handler handlers[] = {
    STEPTREE_HANDLER("nothing", "", 0, 4, &nothing),
    STEPTREE_HANDLER("Yes", "", 0, 0, &yes),
    {STEPTREE_TEXT_INIT("whole"), STEPTREE_TEXT_INIT(""), 0, 0, &number, &whole},
    {STEPTREE_TEXT_INIT("fraction"), STEPTREE_TEXT_INIT(""), 0, 0, &number, &fraction},
    STEPTREE_HANDLER("several", "", 0, 0, &several),
    STEPTREE_HANDLER("map", "", 0, 0, &map),
    STEPTREE_HANDLER("fail", "", 0, 0, &fail),
    STEPTREE_HANDLER("ask", "", 0, 0, &ask),
};
STEPTREE_PLUGIN(NAME, "0.1", handlers, &start, NULL)
