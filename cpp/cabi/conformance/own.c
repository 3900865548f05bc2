#include <stdlib.h>

#include "forms.h"

/* Actions on an accessor. */

typedef left (*own_action)(world* w, const context* of, const steptree_value* action);

/* From outside it has ended the wait, and goes on. */
static left leave_by(const context* of, int claims, const steptree_error* error, const char* word) {
    const left gone = {LEFT, NULL, word};
    (void)of;
    if (claims) return goes_on;
    return error != NULL ? called(error) : gone;
}

static int claims(const context* of) {
    return of->outside && !of->prolonged && api->step->valid(of->asi) != 0;
}

static left act_success(world* w, const context* of, const steptree_value* action) {
    const steptree_list values = list_of(part(action, "success"));
    (void)w;
    return called(api->step->success(of->asi, values.items, values.count));
}

static left act_error(world* w, const context* of, const steptree_value* action) {
    const int ends = claims(of);
    const steptree_text code = text_of(action, "error");
    const steptree_error* const error = api->step->error(of->asi, code, text_of(action, "info"));
    const steptree_text told = code.size == 0 ? text("InternalError") : code;
    return leave_by(of, ends, error, copy_text(&w->memory, told.data, told.size).data);
}

static left act_error_no_throw(world* w, const context* of, const steptree_value* action) {
    (void)w;
    return called(
        api->step->error(of->asi, text_of(action, "errorNoThrow"), text_of(action, "info")));
}

static left act_break(world* w, const context* of, const steptree_value* action) {
    const int ends = claims(of);
    (void)w;
    return leave_by(of, ends, api->step->break_loop(of->asi, text_of(action, "break")), "break");
}
static left act_continue(world* w, const context* of, const steptree_value* action) {
    const int ends = claims(of);
    (void)w;
    return leave_by(of, ends, api->step->continue_loop(of->asi, text_of(action, "continue")),
                    "continue");
}
/* Without a loop the step fails when the body has returned: that isn't let out. */
static left goes_on_if(int was_valid, const steptree_error* error) {
    return was_valid ? goes_on : called(error);
}
static left act_break_no_throw(world* w, const context* of, const steptree_value* action) {
    const int valid = api->step->valid(of->asi) != 0;
    (void)w;
    return goes_on_if(valid, api->step->break_loop(of->asi, text_of(action, "breakNoThrow")));
}
static left act_continue_no_throw(world* w, const context* of, const steptree_value* action) {
    const int valid = api->step->valid(of->asi) != 0;
    (void)w;
    return goes_on_if(valid, api->step->continue_loop(of->asi, text_of(action, "continueNoThrow")));
}

static left act_send(world* w, const context* of, const steptree_value* action) {
    steptree_channel* const channel = found(w, w->channels, text_of(action, "send"));
    return called(api->channel->send(channel, of->asi, part(action, "value")));
}
static left act_receive(world* w, const context* of, const steptree_value* action) {
    steptree_channel* const channel = found(w, w->channels, text_of(action, "receive"));
    return called(api->channel->receive(channel, of->asi));
}
static left act_wait_at(world* w, const context* of, const steptree_value* action) {
    steptree_guard* const guard = found(w, w->guards, text_of(action, "waitAt"));
    return called(api->guard->wait(guard, of->asi));
}

static left act_timeout(world* w, const context* of, const steptree_value* action) {
    const steptree_value* const code = part(action, "code");
    (void)w;
    return called(api->step->set_timeout(of->asi, number_in(part(action, "setTimeout")),
                                         code == NULL ? STEPTREE_NO_TEXT : text_in(code)));
}

static const steptree_error* run_cancel(steptree_step* asi, const steptree_args* args, void* data) {
    const coded* const of = data;
    context here = {NULL, {NULL, 0}, 0, 0, {NULL, 0}};
    (void)args;
    here.asi = asi;
    here.id = of->id;
    if (of->id.size != 0) {
        write_line(of->world, joined(&of->world->memory, of->id, "~", text("")));
    }
    const left how = perform(of->world, &here, of->actions, 0);
    return how.how == THROWN ? how.error : NULL;
}

static left act_cancel(world* w, const context* of, const steptree_value* action) {
    void* data;
    void (*drop)(void*);
    count_data(w, &data, &drop, code_of(w, of->id, part(action, "setCancel")));
    return called(api->step->set_cancel(of->asi, &run_cancel, data, drop));
}

static left act_defer(world* w, const context* of, const steptree_value* action) {
    void* data;
    void (*drop)(void*);
    count_data(w, &data, &drop, code_of(w, text_of(action, "defer"), part(action, "do")));
    return called(api->step->defer(of->asi, &run_deferred, data, drop));
}

static left act_outcome(world* w, const context* of, const steptree_value* action) {
    (void)action;
    write_line(w,
               joined(&w->memory, text("outcome="), of->outcome.size == 0 ? "-" : "", of->outcome));
    return goes_on;
}

static left act_remaining(world* w, const context* of, const steptree_value* action) {
    int64_t ms = 0;
    const steptree_error* const error = api->step->remaining(of->asi, &ms);
    buffer line = {NULL, 0, 0};
    (void)action;
    if (error != NULL) return called(error);
    put(&line, "remaining=");
    if (ms == INT64_MAX) {
        put(&line, "Infinity");
    } else {
        put_int(&line, ms);
    }
    write_buffer(w, &line);
    return goes_on;
}

static left act_wait(world* w, const context* of, const steptree_value* action) {
    steptree_completion* const made = take(&w->memory, sizeof *made);
    const steptree_error* const error = api->step->wait_external(of->asi, made);
    if (error != NULL) return called(error);
    if (!part(action, "waitExternal") || part(action, "waitExternal")->tag != STEPTREE_STRING) {
        api->completion->drop(*made);
        return goes_on;
    }
    steptree_completion* const old =
        set_named(w, &w->completions, text_of(action, "waitExternal"), made);
    if (old != NULL) api->completion->drop(*old);
    return goes_on;
}

typedef struct listening {
    world* world; /* first: see count_data */
    steptree_text name;
    const steptree_value* actions;
} listening;

static void hear(void* data) {
    const listening* const of = data;
    write_line(of->world, joined(&of->world->memory, of->name, " aborted", text("")));
    if (of->actions != NULL) external(of->world, of->actions);
}

static left act_signal(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "signal");
    steptree_signal* const before = find(w->signals, name);
    steptree_signal* signal = NULL;
    const steptree_error* const error = api->step->signal(of->asi, &signal);
    if (error != NULL) return called(error);
    if (before != NULL && api->signal->same(before, signal)) {
        api->signal->drop(signal);
        return goes_on;
    }
    set_named(w, &w->signals, name, signal);
    api->signal->drop(before);
    listening* const listens = take(&w->memory, sizeof *listens);
    steptree_callback callback = {&hear, NULL, NULL};
    steptree_handle* handle = NULL;
    listens->world = w;
    listens->name = name;
    listens->actions = part(action, "do");
    count_data(w, &callback.data, &callback.drop, listens);
    const steptree_error* const refused = api->signal->listen(signal, &callback, &handle);
    if (refused != NULL) return called(refused);
    named* const kept = take(&w->memory, sizeof *kept);
    kept->thing = handle;
    kept->next = w->listeners;
    w->listeners = kept;
    return goes_on;
}

static left act_keep(world* w, const context* of, const steptree_value* action) {
    context* const kept = take(&w->memory, sizeof *kept);
    *kept = *of;
    kept->outcome = copy_text(&w->memory, of->outcome.data, of->outcome.size);
    set_named(w, &w->contexts, text_of(action, "keep"), kept);
    return goes_on;
}

static left act_nothing(world* w, const context* of, const steptree_value* action) {
    (void)w;
    (void)of;
    (void)action;
    return goes_on;
}

static left act_new_instance(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "newInstance");
    steptree_flow* flow = NULL;
    const steptree_error* const error = api->step->new_instance(of->asi, &flow);
    if (error != NULL) return called(error);
    adopt(w, name, flow);
    const target to = {STEPTREE_ADDER(flow), NULL, flow};
    return called(add_forms(w, to, part(action, "steps")));
}

static left act_show(world* w, const context* of, const steptree_value* action) {
    buffer line = {NULL, 0, 0};
    put_views(&line, of->asi, part(action, "show"));
    write_buffer(w, &line);
    return goes_on;
}

/* `key=<json>`, `key=-` where there is none. */
static void log_value(world* w, steptree_text key, const steptree_value* value) {
    buffer line = {NULL, 0, 0};
    put_text(&line, key);
    put(&line, "=");
    if (value == NULL) {
        put(&line, "-");
    } else {
        put_json(&line, value);
    }
    write_buffer(w, &line);
}

static left act_state(world* w, const context* of, const steptree_value* action) {
    const steptree_text key = text_of(action, "state");
    steptree_state* state = NULL;
    steptree_value value = {0};
    const steptree_error* error = api->step->state(of->asi, &state);
    if (error != NULL) return called(error);
    if (part(action, "set") != NULL)
        return called(api->state->set(state, key, part(action, "set")));
    error = api->state->get(state, key, &value);
    if (error != NULL) return called(error);
    log_value(w, key, api->state->has(state, key) ? &value : NULL);
    return goes_on;
}

static left act_local(world* w, const context* of, const steptree_value* action) {
    const steptree_text name = text_of(action, "local");
    const steptree_value* value = NULL;
    void* key = find(w->locals, name);
    if (key == NULL) {
        key = take(&w->memory, 1);
        set_named(w, &w->locals, name, key);
    }
    if (part(action, "set") != NULL) {
        return called(api->step->set_local(of->asi, key, part(action, "set")));
    }
    const steptree_error* const error = api->step->local(of->asi, key, &value);
    if (error != NULL) return called(error);
    log_value(w, name, value);
    return goes_on;
}

static left act_valid(world* w, const context* of, const steptree_value* action) {
    (void)action;
    say(w, api->step->valid(of->asi) ? "valid=true" : "valid=false", NULL);
    return goes_on;
}

int perform_own(world* w, const context* of, steptree_text name, const steptree_value* action,
                left* into) {
    static const struct {
        const char* name;
        own_action act;
    } kOwn[] = {{"success", &act_success},
                {"error", &act_error},
                {"errorNoThrow", &act_error_no_throw},
                {"break", &act_break},
                {"continue", &act_continue},
                {"breakNoThrow", &act_break_no_throw},
                {"continueNoThrow", &act_continue_no_throw},
                {"send", &act_send},
                {"receive", &act_receive},
                {"waitAt", &act_wait_at},
                {"setTimeout", &act_timeout},
                {"setCancel", &act_cancel},
                {"defer", &act_defer},
                {"outcome", &act_outcome},
                {"remaining", &act_remaining},
                {"waitExternal", &act_wait},
                {"signal", &act_signal},
                {"keep", &act_keep},
                {"return", &act_nothing},
                {"returnStep", &act_nothing},
                {"returnValue", &act_nothing},
                {"newInstance", &act_new_instance},
                {"show", &act_show},
                {"state", &act_state},
                {"local", &act_local},
                {"valid", &act_valid}};
    for (size_t i = 0; i < sizeof kOwn / sizeof *kOwn; ++i) {
        if (!same_text(name, kOwn[i].name)) continue;
        *into = kOwn[i].act(w, of, action);
        return 1;
    }
    return 0;
}
