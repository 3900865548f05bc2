#include "world.h"

#include <stdlib.h>
#include <string.h>

const steptree_api* api;

void* find(named* among, steptree_text name) {
    for (; among != NULL; among = among->next) {
        if (equal_texts(among->name, name)) return among->thing;
    }
    return NULL;
}

void* found(world* w, named* among, steptree_text name) {
    void* const thing = find(among, name);
    if (thing == NULL) set_fault(w, "nothing is called ", name);
    return thing;
}

void* set_named(world* w, named** among, steptree_text name, void* thing) {
    for (; *among != NULL; among = &(*among)->next) {
        if (!equal_texts((*among)->name, name)) continue;
        void* const old = (*among)->thing;
        (*among)->thing = thing;
        return old;
    }
    named* const made = take(&w->memory, sizeof *made);
    made->name = name;
    made->thing = thing;
    *among = made;
    return NULL;
}

void set_fault(world* w, const char* why, steptree_text what) {
    if (w->fault.size == 0) w->fault = joined(&w->memory, text(why), "", what);
}

/* ---- the trace ---- */

int ended(const world* w) {
    return w->over || w->lines > kLongestTrace;
}

static void add_line(world* w, steptree_text line) {
    if (ended(w)) return;
    if (w->lines++ != 0) put(w->trace, ",");
    if (w->lines <= kLongestTrace) {
        put_quoted(w->trace, line);
        return;
    }
    put(w->trace, "\"truncated\"");
    stop(w);
}

void write_line(world* w, steptree_text line) {
    const int64_t now = api->tool->now(w->tool);
    if (now != w->time) {
        buffer at = {NULL, 0, 0};
        w->time = now;
        put(&at, "@");
        put_int(&at, now);
        const steptree_text told = {at.data, at.size};
        add_line(w, told);
        free(at.data);
    }
    add_line(w, line);
}

void say(world* w, ...) {
    va_list parts;
    buffer line = {NULL, 0, 0};
    put(&line, "");
    va_start(parts, w);
    for (const char* given = va_arg(parts, const char*); given != NULL;
         given = va_arg(parts, const char*)) {
        put(&line, given);
    }
    va_end(parts);
    const steptree_text told = {line.data, line.size};
    write_line(w, told);
    free(line.data);
}

void stop(world* w) {
    w->over = 1;
    for (named* flow = w->flows; flow != NULL; flow = flow->next) {
        api->flow->cancel(flow->thing, STEPTREE_NO_TEXT);
    }
    for (named* scope = w->scopes; scope != NULL; scope = scope->next) {
        api->scope->close(scope->thing, STEPTREE_NO_TEXT, NULL, NULL, NULL);
    }
    api->signal->abort(w->ending);
}

/* ---- flows ---- */

typedef struct hooks {
    world* world;
    steptree_text name;
} hooks;

static void tell_unhandled(const steptree_error* error, void* data) {
    const hooks* const of = data;
    const steptree_text code = api->error->code(error);
    say(of->world, copy_text(&of->world->memory, of->name.data, of->name.size).data, " unhandled ",
        copy_text(&of->world->memory, code.data, code.size).data, NULL);
}

static void tell_report(const steptree_error* error, void* data) {
    const hooks* const of = data;
    const steptree_text code = api->error->code(error);
    say(of->world, copy_text(&of->world->memory, of->name.data, of->name.size).data, " report ",
        copy_text(&of->world->memory, code.data, code.size).data, NULL);
}

void options_of(world* w, steptree_text name, const steptree_value* given, steptree_options* into) {
    const steptree_value* const burst = part(given, "burst");
    const steptree_value* const grace = part(given, "grace");
    hooks* const of = take(&w->memory, sizeof *of);
    of->world = w;
    of->name = name;
    memset(into, 0, sizeof *into);
    into->size = sizeof *into;
    into->name = name;
    into->unhandled = &tell_unhandled;
    into->report = &tell_report;
    if (burst != NULL) {
        into->given |= STEPTREE_GIVEN_BURST;
        into->burst = (uint32_t)number_in(burst);
    }
    if (grace != NULL) {
        into->given |= STEPTREE_GIVEN_GRACE;
        into->grace = number_in(grace);
    }
    count_data(w, &into->data, &into->drop, of);
}

steptree_flow* flow_of(world* w, steptree_text name) {
    return found(w, w->flows, name);
}

void adopt(world* w, steptree_text name, steptree_flow* flow) {
    for (execution* run = w->executions; run != NULL; run = run->next) {
        if (equal_texts(run->flow, name)) run->gone = 1;
    }
    steptree_flow* const old = set_named(w, &w->flows, name, flow);
    api->flow->drop(old);
}

steptree_signal* signal_of(world* w, steptree_text name) {
    steptree_signal* known = find(w->signals, name);
    if (known != NULL) return known;
    api->signal->make(&known);
    set_named(w, &w->signals, name, known);
    return known;
}

steptree_scope* scope_of(world* w, steptree_text name) {
    steptree_scope* known = find(w->scopes, name);
    if (known != NULL) return known;
    api->scope->make(w->tool, NULL, &known);
    set_named(w, &w->scopes, name, known);
    return known;
}

/* ---- promises ---- */

static int lists(const steptree_value* names, steptree_text name) {
    const steptree_list list = list_of(names);
    for (size_t i = 0; i < list.count; ++i) {
        if (equal_texts(text_in(&list.items[i]), name)) return 1;
    }
    return 0;
}

promise* promise_of(world* w, steptree_text name) {
    promise* known = find(w->promises, name);
    if (known != NULL) return known;
    known = take(&w->memory, sizeof *known);
    known->world = w;
    known->name = copy_text(&w->memory, name.data, name.size);
    known->lasts = lists(part(w->program, "operations"), name);
    known->tells = known->lasts || lists(part(w->program, "cancellable"), name);
    set_named(w, &w->promises, known->name, known);
    return known;
}

static void tell(const promise* of, steptree_awaiter awaiter) {
    if (of->error != NULL) {
        api->awaiter->fail(awaiter, of->error);
    } else {
        api->awaiter->success(awaiter, of->value, of->value == NULL ? 0 : 1);
    }
    api->awaiter->drop(awaiter);
}

void settle(promise* of, const steptree_value* value, const steptree_error* error) {
    if (of->settled) return;
    of->settled = 1;
    of->value = value;
    of->error = error;
    if (error != NULL) api->error->keep(error);
    const size_t count = of->count;
    of->count = 0;
    for (size_t i = 0; i < count; ++i) tell(of, of->awaiters[i]);
}

static void subscribe(steptree_awaiter awaiter, void* data) {
    promise* const of = data;
    ++of->steps;
    if (of->settled) {
        tell(of, awaiter);
        return;
    }
    if (of->count == of->room) {
        steptree_awaiter* const more = take(&of->world->memory, (of->room + 4) * 2 * sizeof *more);
        if (of->count != 0) memcpy(more, of->awaiters, of->count * sizeof *more);
        of->room = (of->room + 4) * 2;
        of->awaiters = more;
    }
    of->awaiters[of->count++] = awaiter;
}

static int32_t leave(void* data) {
    promise* const of = data;
    if (--of->steps != 0) return 0;
    if (of->tells) say(of->world, of->name.data, " cancelled", NULL);
    return of->lasts;
}

steptree_awaitable awaitable_of(promise* of) {
    steptree_awaitable made = {sizeof made, 0, &subscribe, &leave, NULL, NULL};
    made.data = of;
    made.flags = of->lasts ? STEPTREE_TAKES_TIME : 0;
    return made;
}

/* ---- data of closures ---- */

/* All of them begin with their world. */
static void drop_counted(void* data) {
    ++(*(world**)data)->dropped;
}

/* Every other one has nothing to drop: such closures are kept as bytes. */
void count_data(world* w, void** data, void (**drop)(void*), void* of) {
    *data = of;
    *drop = NULL;
    if (++w->serial % 2 == 0) return;
    ++w->made;
    *drop = &drop_counted;
}
