/* A plug-in that calls services of its host, and offers some. */
#include <stddef.h>

#include "steptree/steptree.h"

static const steptree_api* api;
static steptree_plugin_host* host;

/* Calls the service that the first value names, with the rest. */
static const steptree_error* calls(steptree_step* asi, const steptree_args* args, void* data) {
    (void)data;
    return api->add->service(STEPTREE_ADDER(asi), host, args->values[0].of.text, args->values + 1,
                             args->count - 1, NULL);
}

/* Calls "find" with what the handler was given, by a value that has been made at the start. */
static const steptree_definition* find;

static const steptree_error* finds(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_error* const error =
        api->add->success(STEPTREE_ADDER(asi), args->values, args->count);
    (void)data;
    if (error != NULL) return error;
    return api->add->value(STEPTREE_ADDER(asi), find, NULL, STEPTREE_NO_TEXT);
}

/* The same, after 10 ms. */
static const steptree_error* call_find(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    (void)data;
    return api->add->service(STEPTREE_ADDER(asi), host, STEPTREE_TEXT("find"), NULL, 0, NULL);
}
static const steptree_error* finds_late(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&call_find, NULL, NULL, NULL, NULL};
    const steptree_definition* delay = NULL;
    const steptree_error* error = api->define->delay(10, &delay);
    (void)args;
    (void)data;
    if (error != NULL) return error;
    error = api->add->value(STEPTREE_ADDER(asi), delay, NULL, STEPTREE_NO_TEXT);
    api->define->drop(delay);
    return error == NULL ? api->add->step(STEPTREE_ADDER(asi), &closure) : error;
}

/* What it offers takes 10 ms, and says which it is. */
static const steptree_error* say(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value value = {0};
    (void)args;
    (void)data;
    value.tag = STEPTREE_STRING;
    value.of.text = STEPTREE_TEXT("said by the caller");
    return api->step->success(asi, &value, 1);
}
static const steptree_error* offer(steptree_text name) {
    const steptree_closure closure = {&say, NULL, NULL, NULL, NULL};
    const steptree_definition* parts[2] = {NULL, NULL};
    const steptree_definition* both = NULL;
    const steptree_error* error = api->define->delay(10, &parts[0]);
    if (error != NULL) return error;
    error = api->define->step(&closure, &parts[1]);
    if (error == NULL) error = api->define->steps(parts, 2, &both);
    if (error == NULL) error = api->host->offer(host, name, both);
    api->define->drop(parts[0]);
    api->define->drop(parts[1]);
    api->define->drop(both);
    return error;
}

static const steptree_error* offers(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)data;
    return offer(args->values[0].of.text);
}
static const steptree_error* withdraws(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)data;
    return api->host->withdraw(host, args->values[0].of.text);
}

/* How many are loaded. */
static const steptree_error* counts(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value list = {0};
    steptree_value count = {0};
    const steptree_error* error = api->host->list(host, &list);
    (void)args;
    (void)data;
    if (error != NULL) return error;
    count.tag = STEPTREE_INT64;
    count.of.integer = (int64_t)list.of.list.count;
    api->value->drop(&list);
    return api->step->success(asi, &count, 1);
}

static const steptree_error* start(const steptree_api* given, steptree_plugin_host* its,
                                   void* data) {
    const steptree_error* error;
    (void)data;
    api = given;
    host = its;
    error = api->host->service(host, STEPTREE_TEXT("find"), &find);
    if (error == NULL) error = offer(STEPTREE_TEXT("said"));
#ifdef DOES_NOT_START
    api->define->drop(find); /* `stop` isn't called */
    return api->error->make(STEPTREE_TEXT("ENOENT"), STEPTREE_TEXT("no licence"), NULL);
#else
    if (error != NULL) api->define->drop(find);
    return error;
#endif
}

static void stop(void* data) {
    (void)data;
    api->define->drop(find);
}

static const steptree_plugin_handler handlers[] = {
    STEPTREE_HANDLER("calls", "", 1, 4, &calls),
    STEPTREE_HANDLER("finds", "", 0, 4, &finds),
    STEPTREE_HANDLER("findsLate", "", 0, 0, &finds_late),
    STEPTREE_HANDLER("offers", "", 1, 1, &offers),
    STEPTREE_HANDLER("withdraws", "", 1, 1, &withdraws),
    STEPTREE_HANDLER("counts", "", 0, 0, &counts),
};
STEPTREE_PLUGIN("caller", "1.0.0", handlers, &start, &stop)
