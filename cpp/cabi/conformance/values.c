#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"

/* Step values, as forms describe them. */

typedef const steptree_definition definition;
typedef const steptree_error* (*of_list)(definition* const* parts, size_t count, definition** into);

/* ---- options of retries and hedges ---- */

/* A count that isn't whole is none. */
static int64_t count_in(const steptree_value* number) {
    const double count = number_in(number);
    return floor(count) == count && count < 1e15 ? (int64_t)count : -1;
}

typedef struct asked {
    world* world; /* first: see count_data */
    const steptree_value* on;
} asked;

/* What the function of `on` answers. */
static int32_t decide(steptree_text code, const steptree_error* error, double* ms, void* data) {
    const asked* const of = data;
    const steptree_value* const answer = part_of_text(of->on, code);
    if (answer == NULL) return 0;
    if (answer->tag == STEPTREE_BOOL) return is_true(answer);
    *ms = number_in(answer);
    if (is_text(answer, "retry_after")) {
        if (api->error->retry_after(error) < 0) return 0;
        *ms = (double)api->error->retry_after(error);
    }
    return 2;
}

typedef struct given_on {
    uint32_t given;
    const steptree_text* codes;
    size_t count;
    steptree_decide decide;
    void* data;
    void (*drop)(void* data);
} given_on;

static given_on on_of(world* w, const steptree_value* form) {
    const steptree_value* const on = part(form, "on");
    given_on made = {0, NULL, 0, NULL, NULL, NULL};
    if (on == NULL) return made;
    if (on->tag == STEPTREE_LIST) {
        steptree_text* const codes = take(&w->memory, (on->of.list.count + 1) * sizeof *codes);
        for (size_t i = 0; i < on->of.list.count; ++i) codes[i] = text_in(&on->of.list.items[i]);
        made.given = STEPTREE_GIVEN_CODES;
        made.codes = codes;
        made.count = on->of.list.count;
        return made;
    }
    asked* const of = take(&w->memory, sizeof *of);
    of->world = w;
    of->on = on;
    made.decide = &decide;
    count_data(w, &made.data, &made.drop, of);
    return made;
}

static steptree_budget* budget_of(world* w, const steptree_value* form) {
    return part(form, "budget") == NULL ? NULL : found(w, w->budgets, text_of(form, "budget"));
}

/* A number that has a default; says whether it's given. */
static double number_given(const steptree_value* of, const char* key, uint32_t bit,
                           uint32_t* given) {
    const steptree_value* const number = part(of, key);
    if (number == NULL) return 0;
    *given |= bit;
    return number_in(number);
}

static const steptree_error* retry_of(world* w, const steptree_value* form,
                                      const steptree_closure* closure, definition** into) {
    const steptree_value* const backoff = part(form, "backoff");
    const given_on on = on_of(w, form);
    steptree_retry_options options = {0};
    options.size = sizeof options;
    options.given = on.given;
    options.max = is_text(part(form, "max"), "Infinity") ? INT64_MAX : count_in(part(form, "max"));
    options.base = number_given(backoff, "base", STEPTREE_GIVEN_BASE, &options.given);
    options.factor = number_given(backoff, "factor", STEPTREE_GIVEN_FACTOR, &options.given);
    options.cap = number_given(backoff, "cap", STEPTREE_GIVEN_CAP, &options.given);
    options.jitter = number_given(backoff, "jitter", STEPTREE_GIVEN_JITTER, &options.given);
    options.codes = on.codes;
    options.count = on.count;
    options.decide = on.decide;
    options.data = on.data;
    options.drop = on.drop;
    options.budget = budget_of(w, form);
    return api->define->retry(&options, closure, into);
}

static const steptree_error* hedge_of(world* w, const steptree_value* form,
                                      const steptree_closure* closure, definition** into) {
    const given_on on = on_of(w, form);
    steptree_hedge_options options = {0};
    options.size = sizeof options;
    options.after = number_in(part(form, "after"));
    options.given = on.given;
    if (part(form, "max") != NULL) {
        options.given |= STEPTREE_GIVEN_MAX;
        options.max = count_in(part(form, "max"));
    }
    options.codes = on.codes;
    options.count = on.count;
    options.decide = on.decide;
    options.data = on.data;
    options.drop = on.drop;
    options.budget = budget_of(w, form);
    return api->define->hedge(&options, closure, into);
}

/* ---- maps ---- */

/* A source that writes when it is asked for an item, and when it is left before its end. */
typedef struct items {
    world* world; /* first: see count_data */
    const steptree_value* form;
} items;
typedef struct items_run {
    const items* of;
    steptree_text id;
    size_t next;
    int open; /* has begun, and neither failed nor come to its end */
} items_run;

static void* begin_items(void* data) {
    const items* const of = data;
    items_run* const run = calloc(1, sizeof *run);
    if (run == NULL) abort();
    run->of = of;
    run->id = text_of(of->form, "source");
    run->open = 1;
    return run;
}

static const steptree_error* next_item(void* data, steptree_value* into, int32_t* has) {
    items_run* const run = data;
    const steptree_value* const form = run->of->form;
    const steptree_list given = list_of(part(form, "items"));
    const context none = {NULL, run->id, 0, 0, {NULL, 0}};
    *has = 0;
    if (!run->open) return NULL;
    const size_t number = run->next++;
    if (run->id.size != 0) {
        write_line(run->of->world, joined(&run->of->world->memory, run->id, "+", text("")));
    }
    run->open = 0;
    buffer key = {NULL, 0, 0};
    put_int(&key, (int64_t)number);
    const steptree_value* const actions = part(part(form, "at"), key.data);
    free(key.data);
    if (actions != NULL) {
        const left how = perform(run->of->world, &none, actions, 0);
        if (how.how == THROWN) return how.error;
    }
    *has = number < given.count || part(form, "endless") != NULL;
    *into = number < given.count ? given.items[number] : of_int((int64_t)number);
    run->open = *has;
    return NULL;
}

static void end_items(void* data) {
    items_run* const run = data;
    world* const w = run->of->world;
    if (run->open && run->id.size != 0) write_line(w, joined(&w->memory, run->id, "-", text("")));
    free(run);
}

static const steptree_error* sink(const steptree_args* result, uint64_t number, void* data) {
    const coded* const of = data;
    const context here = {NULL, of->id, 0, 0, {NULL, 0}};
    if (of->id.size != 0) {
        const steptree_value nothing = {0};
        buffer line = {NULL, 0, 0};
        put_text(&line, of->id);
        put(&line, "> ");
        put_json(&line, result->count == 0 ? &nothing : &result->values[0]);
        put(&line, " ");
        put_int(&line, (int64_t)number);
        write_buffer(of->world, &line);
    }
    const left how = perform(of->world, &here, of->actions, 0);
    return how.how == THROWN ? how.error : NULL;
}

/* Keys of an object can be gone through, but it is nothing to iterate over; entries of a map are
 * lists. */
static steptree_value items_of(world* w, const steptree_value* of) {
    const steptree_value nothing = {0};
    if (of->tag != STEPTREE_MAP) return collection_of(w, of);
    return part(of, "map") == NULL ? nothing : *part(of, "map");
}

static const steptree_error* map_of_form(world* w, const steptree_value* form, definition** into) {
    const steptree_value* const of = part(form, "of");
    steptree_value collection = {0};
    steptree_source source = {sizeof source, 0, &begin_items, &next_item, &end_items, NULL, NULL};
    steptree_map_options options = {0};
    steptree_closure closure;
    const steptree_error* error = closure_in(w, form, 1, 0, &closure);
    if (error != NULL) return error;
    ((coded*)closure.data)->at = part(form, "at");
    options.size = sizeof options;
    options.limit = (uint64_t)number_in(part(form, "limit"));
    if (part(form, "ordered") != NULL && !is_true(part(form, "ordered")))
        options.flags = STEPTREE_UNORDERED;
    if (part(form, "from") != NULL) {
        options.channel = found(w, w->channels, text_of(form, "from"));
    } else if (part(of, "source") != NULL) {
        items* const given = take(&w->memory, sizeof *given);
        given->world = w;
        given->form = of;
        count_data(w, &source.data, &source.drop, given);
        options.source = &source;
    } else {
        collection = items_of(w, of);
        options.collection = &collection;
    }
    if (part(form, "sink") != NULL) {
        options.sink = &sink;
        count_data(w, &options.data, &options.drop,
                   code_of(w, text_in(&form->of.map.entries[0].value), part(form, "sink")));
    }
    error = api->define->map(&options, &closure, into);
    drop_value(&closure);
    return error;
}

/* ---- all of them ---- */

static const steptree_error* parts_of(world* w, const steptree_value* forms, of_list make,
                                      definition** into) {
    const steptree_list list = list_of(forms);
    definition** const parts = take(&w->memory, (list.count + 1) * sizeof *parts);
    const steptree_error* error = NULL;
    size_t count = 0;
    while (error == NULL && count < list.count) {
        error = value_of(w, &list.items[count], &parts[count]);
        if (error == NULL) ++count;
    }
    if (error == NULL) error = make(parts, count, into);
    while (count > 0) api->define->drop(parts[--count]);
    return error;
}

static const steptree_error* rounds_of(world* w, const steptree_value* form, steptree_text kind,
                                       const steptree_closure* closure, definition** into) {
    const steptree_text label = text_of(form, "label");
    if (same_text(kind, "loop")) return api->define->repeat_until_break(closure, label, into);
    if (same_text(kind, "repeat")) {
        return api->define->repeat(times_of(form), closure, label, into);
    }
    if (part(form, "from") != NULL) {
        steptree_channel* const channel = found(w, w->channels, text_of(form, "from"));
        return api->define->for_each_of(channel, closure, label, into);
    }
    const steptree_value collection = collection_of(w, part(form, "of"));
    return api->define->for_each(&collection, closure, label, into);
}

static const steptree_error* of_body(world* w, const steptree_value* form, steptree_text kind,
                                     definition** into) {
    const int loops =
        same_text(kind, "loop") || same_text(kind, "repeat") || same_text(kind, "forEach");
    steptree_closure closure;
    const steptree_error* error = closure_in(w, form, !loops, 0, &closure);
    if (error != NULL) return error;
    if (loops) {
        error = rounds_of(w, form, kind, &closure, into);
    } else if (same_text(kind, "step")) {
        error = api->define->step(&closure, into);
    } else if (same_text(kind, "shield")) {
        error = api->define->shield(number_in(part(form, "limit")), &closure, into);
    } else if (same_text(kind, "retry")) {
        error = retry_of(w, form, &closure, into);
    } else if (same_text(kind, "hedge")) {
        error = hedge_of(w, form, &closure, into);
    } else if (part(form, "key") != NULL) {
        error = api->define->sync_key(found(w, w->keyed, text_of(form, "guard")),
                                      text_of(form, "key"), &closure, into);
    } else {
        steptree_guard* guard = NULL;
        error = guard_of(w, form, &guard);
        if (error == NULL) {
            error = api->define->sync(guard, &closure, into);
        } else if (closure.drop != NULL) {
            closure.drop(closure.data);
        }
    }
    drop_value(&closure);
    return error;
}

/* What isn't known as a value is a body that makes the call. */
static const steptree_error* make_call(steptree_step* asi, const steptree_args* args, void* data) {
    const coded* const of = data;
    const target to = {STEPTREE_ADDER(asi), asi, NULL};
    (void)args;
    return add_form(of->world, to, of->actions);
}

static const steptree_error* call_of(world* w, const steptree_value* form, definition** into) {
    steptree_closure closure = {&make_call, NULL, NULL, NULL, NULL};
    count_data(w, &closure.data, &closure.drop, code_of(w, text(""), form));
    return api->define->step(&closure, into);
}

static const steptree_error* wrapped(world* w, definition* value, const steptree_value* wrap,
                                     definition** into) {
    if (part(wrap, "timeout") != NULL) {
        const steptree_value* const code = part(wrap, "code");
        return api->define->timeout(value, number_in(part(wrap, "timeout")),
                                    code == NULL ? STEPTREE_NO_TEXT : text_in(code), into);
    }
    if (part(wrap, "name") != NULL) return api->define->named(value, text_of(wrap, "name"), into);
    if (part(wrap, "with") != NULL) {
        const steptree_list values = list_of(part(wrap, "with"));
        return api->define->bound(value, values.items, values.count, into);
    }
    const steptree_closure handler = handler_of(w, text_of(wrap, "catch"), part(wrap, "do"));
    return api->define->on_error(value, &handler, into);
}

/* Replaces a value by what is made of it. */
static const steptree_error* wrap_in(world* w, const steptree_value* wrap, definition** value) {
    definition* const inside = *value;
    const steptree_error* const error = wrapped(w, inside, wrap, value);
    if (error != NULL) *value = NULL;
    api->define->drop(inside);
    return error;
}

static const steptree_error* plain_value_of(world* w, const steptree_value* form,
                                            steptree_text kind, definition** into) {
    if (same_text(kind, "steps")) {
        return parts_of(w, part(form, "parts"), api->define->steps, into);
    }
    if (same_text(kind, "all")) return parts_of(w, part(form, "branches"), api->define->all, into);
    if (same_text(kind, "race"))
        return parts_of(w, part(form, "branches"), api->define->race, into);
    if (same_text(kind, "any")) return parts_of(w, part(form, "branches"), api->define->any, into);
    if (same_text(kind, "delay")) return api->define->delay(number_in(part(form, "delay")), into);
    if (same_text(kind, "map")) return map_of_form(w, form, into);
    if (!same_text(kind, "wrapped")) return of_body(w, form, kind, into);
    const steptree_error* error = value_of(w, part(form, "wrapped"), into);
    const steptree_list wraps = list_of(part(form, "wraps"));
    for (size_t i = 0; error == NULL && i < wraps.count; ++i) {
        error = wrap_in(w, &wraps.items[i], into);
    }
    return error;
}

/* With the form's handler and name. */
static const steptree_error* handled(world* w, const steptree_value* form, definition** value) {
    const steptree_value* const handler = part(form, "catch");
    definition* inside = *value;
    if (handler != NULL) {
        const steptree_closure closure =
            handler_of(w, text_in(&form->of.map.entries[0].value), handler);
        const steptree_error* const error = api->define->on_error(inside, &closure, value);
        api->define->drop(inside);
        if (error != NULL) return error;
        inside = *value;
    }
    if (part(form, "name") == NULL) return NULL;
    const steptree_error* const error = api->define->named(inside, text_of(form, "name"), value);
    api->define->drop(inside);
    return error;
}

const steptree_error* value_of(world* w, const steptree_value* form, definition** into) {
    const steptree_text kind = name_of(form);
    if (is_elsewhere(w, form)) {
        *into = w->elsewhere(form);
        return handled(w, form, into);
    }
    if (same_text(kind, "await") || same_text(kind, "successStep") ||
        same_text(kind, "relinquish") || same_text(kind, "parallel")) {
        return call_of(w, form, into);
    }
    const steptree_error* const error = plain_value_of(w, form, kind, into);
    return error != NULL ? error : handled(w, form, into);
}
