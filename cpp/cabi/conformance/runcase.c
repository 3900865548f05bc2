#include <stdlib.h>
#include <string.h>

#include "forms.h"

/* Runs one case. */

/* Whether a program mentions an action. */
static int mentions(const steptree_value* of, const char* key) {
    const steptree_list list = list_of(of);
    const steptree_map map = map_of(of);
    if (part(of, key) != NULL) return 1;
    for (size_t i = 0; i < list.count; ++i) {
        if (mentions(&list.items[i], key)) return 1;
    }
    for (size_t i = 0; i < map.count; ++i) {
        if (mentions(&map.entries[i].value, key)) return 1;
    }
    return 0;
}

static void make_tool(world* w) {
    const steptree_value* const order = part(w->program, "order");
    const steptree_value* const seed = part(w->program, "seed");
    const steptree_list choices = list_of(order);
    steptree_virtual_options options = {0};
    uint32_t* const chosen = take(&w->memory, (choices.count + 1) * sizeof *chosen);
    for (size_t i = 0; i < choices.count; ++i) chosen[i] = (uint32_t)number_in(&choices.items[i]);
    options.size = sizeof options;
    options.seed = seed == NULL ? 0 : (uint32_t)number_in(seed);
    options.order = order == NULL ? 0 : (uint32_t)order->of.integer;
    if (order != NULL && order->tag == STEPTREE_LIST) {
        options.order = 0;
        options.given = STEPTREE_GIVEN_CHOICES;
        options.choices = chosen;
        options.count = choices.count;
    }
    api->tool->make_virtual(&options, &w->tool);
    api->signal->make(&w->ending);
    w->looks = mentions(w->program, "snapshot");
}

static void refused(world* w, const steptree_error* error) {
    if (error != NULL) set_fault(w, "the case can't be made: ", api->error->info(error));
}

static void make_shared(world* w) {
    const steptree_map guards = map_of(part(w->program, "guards"));
    const steptree_map channels = map_of(part(w->program, "channels"));
    const steptree_map budgets = map_of(part(w->program, "budgets"));
    for (size_t i = 0; i < guards.count; ++i) {
        refused(w, make_guard(w, guards.entries[i].key.of.text, &guards.entries[i].value));
    }
    for (size_t i = 0; i < channels.count; ++i) {
        refused(w, make_channel(w, channels.entries[i].key.of.text, &channels.entries[i].value));
    }
    for (size_t i = 0; i < budgets.count; ++i) {
        const steptree_value* const given = &budgets.entries[i].value;
        steptree_budget* made = NULL;
        refused(w, api->define->make_budget((int64_t)number_in(part(given, "capacity")),
                                            number_in(part(given, "ratio")), &made));
        set_named(w, &w->budgets, budgets.entries[i].key.of.text, made);
    }
}

typedef struct event {
    world* world; /* first: see count_data */
    const steptree_value* actions;
} event;

static void happen(void* data) {
    const event* const of = data;
    external(of->world, of->actions);
}

static void fill(world* w) {
    const steptree_map flows = map_of(part(w->program, "flows"));
    const steptree_list events = list_of(part(w->program, "events"));
    const steptree_value* const all = part(w->program, "options");
    for (size_t i = 0; i < flows.count; ++i) {
        const steptree_text name = flows.entries[i].key.of.text;
        const steptree_value* const given = part_of_text(all, name);
        steptree_options options;
        steptree_flow* flow = NULL;
        options_of(w, name, given, &options);
        refused(w, api->flow->make(w->tool, &options, &flow));
        if (flow == NULL) return;
        adopt(w, name, flow);
        const target to = {STEPTREE_ADDER(flow), NULL, flow};
        refused(w, add_forms(w, to, &flows.entries[i].value));
    }
    for (size_t i = 0; i < events.count; ++i) {
        steptree_callback callback = {&happen, NULL, NULL};
        event* const of = take(&w->memory, sizeof *of);
        of->world = w;
        of->actions = part(&events.items[i], "do");
        count_data(w, &callback.data, &callback.drop, of);
        refused(w, api->tool->deferred(w->tool, number_in(part(&events.items[i], "at")), &callback,
                                       NULL));
    }
}

static void begin(world* w) {
    static const char kStart[] = "[{\"execute\":\"main\"}]";
    const steptree_value* start = part(w->program, "start");
    steptree_value usual;
    if (start == NULL) {
        parse_json(&w->memory, kStart, sizeof kStart - 1, &usual);
        start = &usual;
    }
    external(w, start);
    refused(w, api->tool->run(w->tool));
}

static void put_alternatives(world* w, buffer* into) {
    size_t count = 0;
    const uint32_t* const all = api->tool->alternatives(w->tool, &count);
    put(into, ",\"alternatives\":[");
    for (size_t i = 0; i < count; ++i) {
        if (i != 0) put(into, ",");
        put_int(into, all[i]);
    }
    put(into, "]");
}

/* In the order in which the things of a case may go. */
static void end(world* w) {
    w->over = 1;
    for (named* at = w->flows; at != NULL; at = at->next) api->flow->drop(at->thing);
    for (named* at = w->scopes; at != NULL; at = at->next) api->scope->drop(at->thing);
    for (named* at = w->promises; at != NULL; at = at->next) {
        promise* const of = at->thing;
        for (size_t i = 0; i < of->count; ++i) api->awaiter->drop(of->awaiters[i]);
        api->error->drop(of->error);
    }
    for (named* at = w->recorders; at != NULL; at = at->next)
        api->observe->drop_recorder(at->thing);
    api->handle->drop(w->watching);
    api->handle->drop(w->stalls);
    for (named* at = w->listeners; at != NULL; at = at->next) api->handle->drop(at->thing);
    api->tool->drop(w->tool);
    api->signal->drop(w->ending);
    for (named* at = w->signals; at != NULL; at = at->next) api->signal->drop(at->thing);
    for (named* at = w->budgets; at != NULL; at = at->next) api->define->drop_budget(at->thing);
    for (named* at = w->channels; at != NULL; at = at->next) api->channel->drop(at->thing);
    for (named* at = w->keyed; at != NULL; at = at->next) api->guard->drop_keyed(at->thing);
    for (named* at = w->guards; at != NULL; at = at->next) api->guard->drop(at->thing);
    for (named* at = w->old_guards; at != NULL; at = at->next) api->guard->drop(at->thing);
    for (named* at = w->old_keyed; at != NULL; at = at->next) api->guard->drop_keyed(at->thing);
    for (named* at = w->old_channels; at != NULL; at = at->next) api->channel->drop(at->thing);
    for (named* at = w->handles; at != NULL; at = at->next) api->handle->drop(at->thing);
    for (named* at = w->completions; at != NULL; at = at->next) {
        api->completion->drop(*(steptree_completion*)at->thing);
    }
}

/* What C has not: 1 if a case needs none of it, else why it is left out is put. */
static int is_fit(const steptree_value* program, buffer* into) {
    static const char kOther[] =
        "a break of a step elsewhere is an InternalError where it is let out";
    const char* why = NULL;
    if (mentions(program, "throwValue")) why = "in C nothing can be thrown that is no error";
    if (mentions(program, "lose")) why = "guards in C have no leases";
    if (is_text(part(program, "case"), kOther)) {
        why = "in C a break throws nothing that another body could let out";
    }
    if (why == NULL) return 1;
    put(into, "\"unfit\":");
    put_quoted(into, text(why));
    return 0;
}

void run_case(const steptree_value* program, buffer* into) {
    world w;
    buffer trace = {NULL, 0, 0};
    if (!is_fit(program, into)) return;
    memset(&w, 0, sizeof w);
    w.program = program;
    w.trace = &trace;
    put(&trace, "");
    make_tool(&w);
    make_shared(&w);
    fill(&w);
    if (w.fault.size == 0) begin(&w);
    check_runs(&w);
    for (named* flow = w.flows; flow != NULL; flow = flow->next) {
        if (!api->flow->running(flow->thing)) continue;
        write_line(&w, joined(&w.memory, flow->name, " waiting", text("")));
    }
    const int lists =
        part(program, "order") != NULL && part(program, "order")->tag == STEPTREE_LIST;
    buffer alternatives = {NULL, 0, 0};
    if (lists) put_alternatives(&w, &alternatives);
    end(&w);
    if (w.made != w.dropped) set_fault(&w, "data of a closure wasn't dropped once", text(""));
    if (w.fault.size != 0) {
        put(into, "\"error\":");
        put_quoted(into, w.fault);
    } else {
        put(into, "\"trace\":[");
        put_bytes(into, trace.data, trace.size);
        put(into, "]");
        if (lists) put_bytes(into, alternatives.data, alternatives.size);
    }
    free(alternatives.data);
    free(trace.data);
    arena_free(&w.memory);
}
