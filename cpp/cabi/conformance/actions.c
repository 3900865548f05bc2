#include "actions.h"

#include <stdlib.h>

#include "forms.h"

/* Actions that may stand anywhere, and how all of them are performed. */

const left goes_on = {GOES_ON, NULL, NULL};

left called(const steptree_error* error) {
    const left thrown = {THROWN, NULL, NULL};
    left made = thrown;
    if (error == NULL) return goes_on;
    made.error = error;
    return made;
}

steptree_text name_of(const steptree_value* action) {
    if (action->tag == STEPTREE_STRING) return action->of.text;
    return map_of(action).count == 0 ? text("") : text_in(&action->of.map.entries[0].key);
}

static const char* word(int value) {
    return value ? "=true" : "=false";
}

static const char* text_at(world* w, steptree_text given) {
    return copy_text(&w->memory, given.data, given.size).data;
}

typedef left (*any_action)(world* w, const context* of, const steptree_value* action);

static left perform_some(world* w, const context* of, const steptree_value* actions, size_t first);

static left act_log(world* w, const context* of, const steptree_value* action) {
    (void)of;
    write_line(w, text_of(action, "log"));
    return goes_on;
}

static left act_throw(world* w, const context* of, const steptree_value* action) {
    (void)w;
    (void)of;
    return called(foreign_error(action));
}

static left act_try(world* w, const context* of, const steptree_value* action) {
    const left how = perform_some(w, of, part(action, "try"), 0);
    if (how.how == THROWN) {
        write_line(w, joined(&w->memory, text("caught "), "", api->error->code(how.error)));
    } else if (how.how == LEFT) {
        say(w, "caught ", how.word, NULL);
    }
    return goes_on;
}

static left act_done(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "done");
    steptree_completion* const known = find(w->completions, name);
    int32_t result = 0;
    (void)of;
    if (known == NULL) {
        say(w, text_at(w, name), "=-", NULL);
        return goes_on;
    }
    if (part(action, "valid") != NULL) {
        result = api->completion->valid(*known);
    } else if (part(action, "error") != NULL) {
        result = api->completion->error(*known, text_of(action, "error"), text_of(action, "info"));
    } else {
        const steptree_list values = list_of(part(action, "success"));
        result = api->completion->success(*known, values.items, values.count);
    }
    say(w, text_at(w, name), word(result), NULL);
    return goes_on;
}

static left act_with(world* w, const context* of, const steptree_value* action) {
    const context* const kept = found(w, w->contexts, text_of(action, "with"));
    (void)of;
    if (kept == NULL) return goes_on;
    context here = *kept;
    here.outside = here.asi != w->current;
    return perform_some(w, &here, part(action, "do"), 0);
}

static left act_execute(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return execute(w, action, 0);
}
static left act_promise(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return execute(w, action, 1);
}
static left act_start(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return start(w, action);
}
static left act_make_scope(world* w, const context* of, const steptree_value* action) {
    (void)of;
    make_scope(w, action);
    return goes_on;
}
static left act_close_scope(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return close_scope(w, action);
}
static left act_drain_scope(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return drain_scope(w, action);
}

static left act_draining(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "draining");
    steptree_scope* const scope = scope_of(w, name);
    buffer line = {NULL, 0, 0};
    (void)of;
    put_text(&line, name);
    put(&line, api->scope->draining(scope) ? " draining=true size=" : " draining=false size=");
    put_int(&line, (int64_t)api->scope->flows(scope));
    write_buffer(w, &line);
    return goes_on;
}

static left act_abort(world* w, const context* of, const steptree_value* action) {
    (void)of;
    api->signal->abort(signal_of(w, text_of(action, "abort")));
    return goes_on;
}
static left act_aborted(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "aborted");
    (void)of;
    say(w, text_at(w, name), " aborted", word(api->signal->aborted(signal_of(w, name))), NULL);
    return goes_on;
}

static left act_cancel_flow(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return called(
        api->flow->cancel(flow_of(w, text_of(action, "cancel")), text_of(action, "reason")));
}
static left act_running(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "running");
    (void)of;
    say(w, text_at(w, name), " running", word(api->flow->running(flow_of(w, name))), NULL);
    return goes_on;
}

typedef struct told {
    world* world; /* first: see count_data */
    steptree_text name;
    const steptree_value* actions;
} told;

static void tell_closed(void* data) {
    const told* const of = data;
    say(of->world, of->name.data, " closed", NULL);
}
static void run_actions(void* data) {
    const told* const of = data;
    external(of->world, of->actions);
}

static steptree_callback callback_of(world* w, void (*call)(void*), steptree_text name,
                                     const steptree_value* actions) {
    told* const of = take(&w->memory, sizeof *of);
    steptree_callback made = {NULL, NULL, NULL};
    of->world = w;
    of->name = copy_text(&w->memory, name.data, name.size);
    of->actions = actions;
    made.call = call;
    count_data(w, &made.data, &made.drop, of);
    return made;
}

static left act_closed(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "closed");
    const steptree_callback callback = callback_of(w, &tell_closed, name, NULL);
    (void)of;
    return called(api->flow->closed(flow_of(w, name), &callback));
}

static left act_add_to(world* w, const context* of, const steptree_value* action) {
    steptree_flow* const flow = flow_of(w, text_of(action, "addTo"));
    const target to = {STEPTREE_ADDER(flow), NULL, flow};
    (void)of;
    return called(add_forms(w, to, part(action, "steps")));
}

static left act_settle(world* w, const context* of, const steptree_value* action) {
    promise* const settled = promise_of(w, text_of(action, "settle"));
    const steptree_error* error = NULL;
    (void)of;
    if (part(action, "error") != NULL) {
        error = api->error->make(text_of(action, "error"), text_of(action, "info"), NULL);
    }
    settle(settled, part(action, "value"), error);
    return goes_on;
}

static void keep_handle(world* w, const steptree_value* action, steptree_handle* handle) {
    if (handle == NULL) return;
    api->handle->drop(set_named(w, &w->handles, text_of(action, "as"), handle));
}

static left act_immediate(world* w, const context* of, const steptree_value* action) {
    const steptree_callback callback =
        callback_of(w, &run_actions, text(""), part(action, "immediate"));
    steptree_handle* handle = NULL;
    steptree_handle** const into = part(action, "as") == NULL ? NULL : &handle;
    (void)of;
    const left how = called(api->tool->immediate(w->tool, &callback, into));
    keep_handle(w, action, handle);
    return how;
}
static left act_deferred(world* w, const context* of, const steptree_value* action) {
    const steptree_callback callback = callback_of(w, &run_actions, text(""), part(action, "do"));
    steptree_handle* handle = NULL;
    steptree_handle** const into = part(action, "as") == NULL ? NULL : &handle;
    (void)of;
    const left how =
        called(api->tool->deferred(w->tool, number_in(part(action, "deferred")), &callback, into));
    keep_handle(w, action, handle);
    return how;
}

static left act_cancel_handle(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "cancelHandle");
    steptree_handle* const known = find(w->handles, name);
    (void)of;
    if (known == NULL) {
        say(w, text_at(w, name), "=-", NULL);
    } else {
        api->handle->cancel(known);
    }
    return goes_on;
}
static left act_valid_handle(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "validHandle");
    steptree_handle* const known = find(w->handles, name);
    (void)of;
    say(w, text_at(w, name), known == NULL ? "=-" : word(api->handle->valid(known)), NULL);
    return goes_on;
}

static left act_times(world* w, const context* of, const steptree_value* action) {
    left how = goes_on;
    for (double i = number_in(part(action, "times")); i > 0 && how.how == GOES_ON; --i) {
        how = perform_some(w, of, part(action, "do"), 0);
    }
    return how;
}

static left act_make_guard(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return called(make_guard(w, text_of(action, "makeGuard"), action));
}
static left act_make_channel(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return called(make_channel(w, text_of(action, "makeChannel"), action));
}

static left act_try_send(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "trySend");
    int32_t sent = 0;
    (void)of;
    const steptree_error* const error =
        api->channel->try_send(found(w, w->channels, name), part(action, "value"), &sent);
    if (error != NULL) return called(error);
    say(w, text_at(w, name), " sent", word(sent), NULL);
    return goes_on;
}
static left act_try_receive(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "tryReceive");
    steptree_value value = {0};
    int32_t received = 0;
    buffer line = {NULL, 0, 0};
    (void)of;
    const steptree_error* const error =
        api->channel->try_receive(found(w, w->channels, name), &value, &received);
    if (error != NULL) return called(error);
    put_text(&line, name);
    put(&line, " received=");
    if (received) {
        put_json(&line, &value);
    } else {
        put(&line, "-");
    }
    api->value->drop(&value);
    write_buffer(w, &line);
    return goes_on;
}
static left act_close(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return called(api->channel->close(found(w, w->channels, text_of(action, "close"))));
}

static left act_channel_closed(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "channelClosed");
    steptree_channel_reading read = {0};
    (void)of;
    read.size = sizeof read;
    const steptree_error* const error = api->channel->read(found(w, w->channels, name), &read);
    if (error != NULL) return called(error);
    say(w, text_at(w, name), " closed", word((int)read.closed), NULL);
    return goes_on;
}

static void put_number(buffer* to, const char* what, int64_t number) {
    put(to, what);
    if (number == INT64_MAX) {
        put(to, "Infinity");
    } else {
        put_int(to, number);
    }
}

static left act_read_channel(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "readChannel");
    steptree_channel_reading read = {0};
    buffer line = {NULL, 0, 0};
    (void)of;
    read.size = sizeof read;
    const steptree_error* const error = api->channel->read(found(w, w->channels, name), &read);
    if (error != NULL) return called(error);
    put_text(&line, name);
    put_number(&line, " size=", read.values);
    put_number(&line, " available=", read.available);
    put_number(&line, " senders=", read.senders);
    put_number(&line, " receivers=", read.receivers);
    write_buffer(w, &line);
    return goes_on;
}

static left act_open_gate(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return called(api->guard->open(found(w, w->guards, text_of(action, "openGate"))));
}
static left act_close_gate(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return called(api->guard->close(found(w, w->guards, text_of(action, "closeGate"))));
}
static left act_read_guard(world* w, const context* of, const steptree_value* action) {
    (void)of;
    log_guard(w, action);
    return goes_on;
}

static left act_run_tool(world* w, const context* of, const steptree_value* action) {
    (void)of;
    (void)action;
    return called(api->tool->run(w->tool));
}
static left act_snapshot(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return look(w, action);
}
static left act_observe(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return observe(w, action);
}
static left act_make_recorder(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return make_recorder(w, action);
}
static left act_recording(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return log_recording(w, text_of(action, "recording"));
}
static left act_cancel_recorder(world* w, const context* of, const steptree_value* action) {
    (void)of;
    api->observe->cancel_recorder(found(w, w->recorders, text_of(action, "cancelRecorder")));
    return goes_on;
}
static left act_watch_stalls(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return watch_stalls(w, part(action, "watchStalls"));
}

static left log_number(world* w, const char* what, int64_t number) {
    buffer line = {NULL, 0, 0};
    put(&line, what);
    put_int(&line, number);
    write_buffer(w, &line);
    return goes_on;
}

static left act_armed(world* w, const context* of, const steptree_value* action) {
    size_t count = 0;
    const steptree_error* const error = api->tool->armed_timers(w->tool, &count);
    (void)of;
    (void)action;
    return error != NULL ? called(error) : log_number(w, "timers=", (int64_t)count);
}
static left act_random(world* w, const context* of, const steptree_value* action) {
    double number = 0;
    const steptree_error* const error = api->tool->random(w->tool, &number);
    (void)of;
    (void)action;
    return error != NULL ? called(error)
                         : log_number(w, "random=", (int64_t)(number * 4294967296.0));
}
static left act_now(world* w, const context* of, const steptree_value* action) {
    (void)of;
    (void)action;
    return log_number(w, "now=", api->tool->now(w->tool));
}
static left act_busy(world* w, const context* of, const steptree_value* action) {
    (void)of;
    return called(api->tool->elapse(w->tool, number_in(part(action, "busy"))));
}

static const struct {
    const char* name;
    any_action act;
} kAnywhere[] = {{"log", &act_log},
                 {"throw", &act_throw},
                 {"try", &act_try},
                 {"done", &act_done},
                 {"with", &act_with},
                 {"execute", &act_execute},
                 {"promise", &act_promise},
                 {"start", &act_start},
                 {"makeScope", &act_make_scope},
                 {"draining", &act_draining},
                 {"closeScope", &act_close_scope},
                 {"drainScope", &act_drain_scope},
                 {"abort", &act_abort},
                 {"aborted", &act_aborted},
                 {"cancel", &act_cancel_flow},
                 {"running", &act_running},
                 {"closed", &act_closed},
                 {"addTo", &act_add_to},
                 {"settle", &act_settle},
                 {"immediate", &act_immediate},
                 {"deferred", &act_deferred},
                 {"cancelHandle", &act_cancel_handle},
                 {"validHandle", &act_valid_handle},
                 {"times", &act_times},
                 {"makeGuard", &act_make_guard},
                 {"makeChannel", &act_make_channel},
                 {"trySend", &act_try_send},
                 {"tryReceive", &act_try_receive},
                 {"close", &act_close},
                 {"channelClosed", &act_channel_closed},
                 {"readChannel", &act_read_channel},
                 {"openGate", &act_open_gate},
                 {"closeGate", &act_close_gate},
                 {"readGuard", &act_read_guard},
                 {"runTool", &act_run_tool},
                 {"snapshot", &act_snapshot},
                 {"observe", &act_observe},
                 {"makeRecorder", &act_make_recorder},
                 {"recording", &act_recording},
                 {"cancelRecorder", &act_cancel_recorder},
                 {"watchStalls", &act_watch_stalls},
                 {"armedTimers", &act_armed},
                 {"random", &act_random},
                 {"now", &act_now},
                 {"busy", &act_busy}};

static left perform_one(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = name_of(action);
    left how = goes_on;
    if (is_form(action)) {
        const target to = {STEPTREE_ADDER(of->asi), of->asi, NULL};
        if (of->asi != NULL) return called(add_form(w, to, action));
    } else {
        for (size_t i = 0; i < sizeof kAnywhere / sizeof *kAnywhere; ++i) {
            if (same_text(name, kAnywhere[i].name)) return kAnywhere[i].act(w, of, action);
        }
        if (of->asi != NULL && perform_own(w, of, name, action, &how)) return how;
    }
    set_fault(w, "no action, or without an accessor: ", name);
    return goes_on;
}

static left perform_some(world* w, const context* of, const steptree_value* actions, size_t first) {
    const steptree_list list = list_of(actions);
    for (size_t i = first; i < list.count; ++i) {
        if (ended(w) || w->fault.size != 0) return goes_on;
        const left how = perform_one(w, of, &list.items[i]);
        if (how.how != GOES_ON) return how;
    }
    return goes_on;
}

left perform(world* w, const context* of, const steptree_value* actions, size_t first) {
    steptree_step* const before = w->current;
    w->current = of->asi;
    const left how = perform_some(w, of, actions, first);
    w->current = before;
    return how;
}

void external(world* w, const steptree_value* actions) {
    const context none = {NULL, {NULL, 0}, 0, 0, {NULL, 0}};
    const left how = perform(w, &none, actions, 0);
    if (how.how == THROWN) {
        write_line(w, joined(&w->memory, text("threw "), "", api->error->code(how.error)));
    } else if (how.how == LEFT) {
        say(w, "threw ", how.word, NULL);
    }
}
