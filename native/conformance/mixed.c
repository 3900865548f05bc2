/* The native part of a program of the case language: the steps of it that are native run here, by
 * the code of the adapter in C, in ../../cpp/cabi/conformance. JavaScript writes the trace: it
 * takes the lines after each call, so the time is its own. */
#include <stdlib.h>
#include <string.h>

#include "forms.h"

static steptree_api table;
static steptree_tool_api tools;

/* One program at a time. */
static world of_program;
static world* w;
static steptree_value program;
/* JavaScript's memory: what stands in it since it was looked at last. It's large enough for the
 * lines of one call. */
static steptree_value shared;

/* The service `js`, with the id of the step that is in the form. */
static steptree_plugin_host* own_host;
static const steptree_definition* of_js(const steptree_value* form) {
    const steptree_value* const inner = &list_of(part(form, "do")).items[0];
    const steptree_value id = of_text(text_of(inner, "step"));
    const steptree_definition* service = NULL;
    const steptree_definition* bound = NULL;
    api->host->service(own_host, STEPTREE_TEXT("js"), &service);
    api->define->bound(service, &id, 1, &bound);
    api->define->drop(service);
    return bound;
}

/* (JSON of the case and of its native forms, memory for lines) */
static const steptree_error* begin(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_text json = args->values[0].of.text;
    (void)data;
    w = &of_program;
    memset(w, 0, sizeof *w);
    if (!parse_json(&w->memory, json.data, json.size, &program))
        return api->step->error(asi, STEPTREE_TEXT("NoJson"), STEPTREE_NO_TEXT);
    w->program = part(&program, "case");
    w->elsewhere = &of_js;
    const steptree_error* const error = api->value->keep(&args->values[1], &shared);
    if (error != NULL) return error;
    w->trace = (buffer*)(uintptr_t)shared.of.text.data;
    w->trace->data = (char*)(w->trace + 1);
    w->trace->size = 0;
    w->trace->room = shared.of.text.size - sizeof *w->trace;
    return api->signal->make(&w->ending);
}

/* ([number of a native form, ...values]): its body. */
static const steptree_error* run(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_list given = args->values[0].of.list;
    const steptree_list forms = list_of(part(&program, "forms"));
    const steptree_args values = {given.items + 1, given.count - 1, NULL};
    (void)data;
    return run_body(asi, &values, code_in(w, &forms.items[given.items[0].of.integer]));
}

/* (JSON of actions): from outside. */
static const steptree_error* act(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_text json = args->values[0].of.text;
    steptree_value* const actions = take(&w->memory, sizeof *actions);
    (void)data;
    if (!parse_json(&w->memory, json.data, json.size, actions))
        return api->step->error(asi, STEPTREE_TEXT("NoJson"), STEPTREE_NO_TEXT);
    external(w, actions);
    return NULL;
}

/* What is wrong with it, if anything. */
static const steptree_error* end(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args, (void)data;
    w->over = 1;
    for (named* at = w->promises; at != NULL; at = at->next) {
        promise* const of = at->thing;
        for (size_t i = 0; i < of->count; ++i) api->awaiter->drop(of->awaiters[i]);
        api->error->drop(of->error);
    }
    for (named* at = w->completions; at != NULL; at = at->next) {
        api->completion->drop(*(steptree_completion*)at->thing);
    }
    for (named* at = w->signals; at != NULL; at = at->next) api->signal->drop(at->thing);
    api->signal->drop(w->ending);
    if (w->made != w->dropped) set_fault(w, "data of a closure wasn't dropped once", text(""));
    const steptree_value value = of_text(w->fault);
    const steptree_error* const error = api->step->success(asi, &value, 1);
    arena_free(&w->memory);
    api->value->drop(&shared);
    return error;
}

static const steptree_plugin_handler handlers[] = {
    STEPTREE_HANDLER("begin", "", 2, 2, &begin),
    STEPTREE_HANDLER("run", "", 1, 1, &run),
    STEPTREE_HANDLER("act", "", 1, 1, &act),
    STEPTREE_HANDLER("end", "", 0, 0, &end),
};

static int64_t no_time(const steptree_tool* tool) {
    (void)tool;
    return 0;
}

static const steptree_error* begins(const steptree_api* given, steptree_plugin_host* host,
                                    void* data) {
    (void)data;
    own_host = host;
    table = *given;
    tools = *given->tool;
    tools.now = &no_time;
    table.tool = &tools;
    api = &table;
    return NULL;
}
STEPTREE_PLUGIN("mixed", "1.0", handlers, &begins, NULL)
