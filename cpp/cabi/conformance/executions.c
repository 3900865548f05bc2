#include "actions.h"
#include "forms.h"

/* Runs of flows, and owners of flows. */

static void tell_end(const steptree_outcome* outcome, void* data) {
    execution* const run = data;
    buffer line = {NULL, 0, 0};
    ++run->told;
    put_text(&line, run->flow);
    put(&line, " ");
    put_outcome(&line, outcome);
    write_buffer(run->world, &line);
}

static void tell_settled(const steptree_outcome* outcome, void* data) {
    execution* const run = data;
    buffer line = {NULL, 0, 0};
    ++run->told;
    put_text(&line, run->flow);
    if (outcome->kind == STEPTREE_OK) {
        put(&line, " resolved");
        put_values(&line, outcome->values, outcome->count == 0 ? 0 : 1);
    } else {
        put(&line, " rejected ");
        put_text(&line, outcome->code);
    }
    write_buffer(run->world, &line);
}

static execution* new_run(world* w, steptree_text name) {
    execution* const made = take(&w->memory, sizeof *made);
    made->world = w;
    made->flow = copy_text(&w->memory, name.data, name.size);
    return made;
}

left execute(world* w, const steptree_value* action, int as_promise) {
    const steptree_text name = text_of(action, as_promise ? "promise" : "execute");
    steptree_flow* const flow = flow_of(w, name);
    steptree_signal* const signal =
        part(action, "signal") == NULL ? NULL : signal_of(w, text_of(action, "signal"));
    const steptree_value* const wants = part(action, "done");
    steptree_done done = {as_promise ? &tell_settled : &tell_end, NULL, NULL};
    if (flow == NULL) return goes_on;
    if (!as_promise && wants != NULL && !is_true(wants)) {
        return called(api->flow->execute(flow, NULL, signal));
    }
    execution* const run = new_run(w, name);
    run->next = w->executions;
    w->executions = run;
    count_data(w, &done.data, &done.drop, run);
    const left how = called(api->flow->execute(flow, &done, signal));
    run->refused = how.how == THROWN;
    return how;
}

void check_runs(world* w) {
    for (execution* run = w->executions; run != NULL; run = run->next) {
        const int untold = run->told == 0 && !run->refused && !run->gone;
        const int runs = untold && api->flow->running(flow_of(w, run->flow));
        if (run->told > (run->refused ? 0 : 1) || (untold && !runs)) {
            set_fault(w, "a run hasn't been told its end once: ", run->flow);
        }
    }
}

/* The flow that was started last has a signal by which the case ends it, and no other one. */
static void note_ending(world* w) {
    steptree_value seen = {0};
    const size_t most = sizeof w->ended_here / sizeof *w->ended_here;
    if (!w->looks || w->ended_count == most || api->tool->snapshot(w->tool, &seen) != NULL) return;
    const steptree_list flows = list_of(part(&seen, "flows"));
    if (flows.count != 0) {
        w->ended_here[w->ended_count++] =
            (uint64_t)part(&flows.items[flows.count - 1], "id")->of.integer;
    }
    api->value->drop(&seen);
}

left start(world* w, const steptree_value* action) {
    const steptree_text name = text_of(action, "start");
    const int in_scope = part(action, "scope") != NULL;
    const int owns = !in_scope && part(action, "signal") == NULL;
    const steptree_value* const wants = part(action, "done");
    const steptree_value* const with_options = part(action, "options");
    const int as_promise = is_true(part(action, "asPromise"));
    const steptree_definition* value = NULL;
    steptree_start_options options = {0};
    steptree_options flow_options;
    steptree_done done = {NULL, NULL, NULL};
    const steptree_error* error = value_of(w, part(action, "runs"), &value);
    if (error != NULL) return called(error);
    options.size = sizeof options;
    if (with_options == NULL || is_true(with_options)) {
        options_of(w, name, action, &flow_options);
        options.options = &flow_options;
    }
    if (!owns && part(action, "signal") != NULL) {
        options.signal = signal_of(w, text_of(action, "signal"));
    } else if (!in_scope) {
        options.signal = w->ending;
    }
    if (as_promise || wants == NULL || is_true(wants)) {
        done.call = as_promise ? &tell_settled : &tell_end;
        count_data(w, &done.data, &done.drop, new_run(w, name));
        options.done = &done;
    }
    error = in_scope ? api->scope->start(scope_of(w, text_of(action, "scope")), value, &options)
                     : api->tool->start(w->tool, value, &options);
    api->define->drop(value);
    if (error != NULL) return called(error);
    if (owns) note_ending(w);
    return goes_on;
}

void make_scope(world* w, const steptree_value* action) {
    const steptree_text name = text_of(action, "makeScope");
    steptree_options options;
    steptree_scope* made = NULL;
    options_of(w, name, action, &options);
    if (api->scope->make(w->tool, &options, &made) == NULL) set_named(w, &w->scopes, name, made);
}

typedef struct ending {
    world* world; /* first: see count_data */
    steptree_text name;
    const char* what;
} ending;

static void tell_count(int64_t cancelled, void* data) {
    const ending* const of = data;
    buffer line = {NULL, 0, 0};
    put_text(&line, of->name);
    put(&line, of->what);
    if (cancelled < 0) {
        put(&line, "failed");
    } else {
        put_int(&line, cancelled);
    }
    write_buffer(of->world, &line);
}

static ending* ending_of(world* w, steptree_text name, const char* what) {
    ending* const made = take(&w->memory, sizeof *made);
    made->world = w;
    made->name = copy_text(&w->memory, name.data, name.size);
    made->what = what;
    return made;
}

left close_scope(world* w, const steptree_value* action) {
    const steptree_text name = text_of(action, "closeScope");
    void* data;
    void (*drop)(void*);
    count_data(w, &data, &drop, ending_of(w, name, " closed "));
    return called(
        api->scope->close(scope_of(w, name), text_of(action, "reason"), &tell_count, data, drop));
}

left drain_scope(world* w, const steptree_value* action) {
    const steptree_text name = text_of(action, "drainScope");
    void* data;
    void (*drop)(void*);
    count_data(w, &data, &drop, ending_of(w, name, " drained "));
    return called(api->scope->drain(scope_of(w, name), number_in(part(action, "ms")),
                                    text_of(action, "reason"), &tell_count, data, drop));
}
