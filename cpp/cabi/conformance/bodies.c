#include <stdlib.h>

#include "forms.h"

/* Bodies and handlers: what they write when they start, then what they do. */

static const steptree_value* last_of(const steptree_value* actions) {
    const steptree_list list = list_of(actions);
    return list.count == 0 ? NULL : &list.items[list.count - 1];
}

/* What it returns, which is its last action. */
static const steptree_error* give_last(const coded* of, steptree_step* asi,
                                       const steptree_value* actions, int gives) {
    const steptree_value* const last = last_of(actions);
    const steptree_value* const value = part(last, "returnValue");
    if (value != NULL) return gives ? api->step->give(asi, value, 1) : NULL;
    if (part(last, "returnStep") != NULL) {
        const steptree_definition* step = NULL;
        const steptree_error* error = value_of(of->world, part(last, "returnStep"), &step);
        if (error != NULL) return error;
        error = api->add->value(STEPTREE_ADDER(asi), step, NULL, STEPTREE_NO_TEXT);
        api->define->drop(step);
        return error;
    }
    if (part(last, "return") == NULL) return NULL;
    const steptree_awaitable awaitable =
        awaitable_of(promise_of(of->world, text_of(last, "return")));
    return api->step->give_awaitable(asi, &awaitable);
}

/* Whether the code goes on behind them; if not, `error` is what it fails with. */
static int run(const coded* of, steptree_step* asi, const steptree_value* actions,
               steptree_text outcome, const steptree_error** error) {
    context here = {NULL, {NULL, 0}, 0, 0, {NULL, 0}};
    here.asi = asi;
    here.id = of->id;
    here.prolonged = part(last_of(actions), "return") != NULL;
    here.outcome = outcome;
    const left how = perform(of->world, &here, actions, 0);
    *error = how.how == THROWN ? how.error : NULL;
    return how.how == GOES_ON;
}

static const steptree_error* run_and_give(const coded* of, steptree_step* asi,
                                          const steptree_value* actions, steptree_text outcome,
                                          int gives) {
    const steptree_error* error;
    if (!run(of, asi, actions, outcome, &error)) return error;
    return give_last(of, asi, actions, gives);
}

/* What an item of a map does besides. */
static const steptree_value* own_of(const coded* of, const steptree_args* args) {
    buffer key = {NULL, 0, 0};
    if (of->at == NULL) return NULL;
    put_int(&key, args->values[1].of.integer);
    const steptree_value* const own = part(of->at, key.data);
    free(key.data);
    return own;
}

const steptree_error* run_body(steptree_step* asi, const steptree_args* args, void* data) {
    const coded* const of = data;
    const steptree_value* const own = own_of(of, args);
    const steptree_error* error;
    if (of->id.size != 0) {
        buffer line = {NULL, 0, 0};
        put_text(&line, of->id);
        put_values(&line, args->values, args->count);
        write_buffer(of->world, &line);
    }
    if (own == NULL) return run_and_give(of, asi, of->actions, text(""), of->gives);
    if (!run(of, asi, of->actions, text(""), &error)) return error;
    if (!run(of, asi, own, text(""), &error)) return error;
    return give_last(of, asi, of->actions, 1);
}

const steptree_error* run_silently(const coded* of, steptree_step* asi) {
    return run_and_give(of, asi, of->actions, text(""), 0);
}

static const steptree_error* run_handler(steptree_step* asi, steptree_text error, void* data) {
    const coded* const of = data;
    if (of->id.size != 0) {
        buffer line = {NULL, 0, 0};
        put_text(&line, of->id);
        put(&line, "! ");
        put_text(&line, error);
        write_buffer(of->world, &line);
    }
    return run_and_give(of, asi, of->handler, text(""), 0);
}

const steptree_error* run_deferred(steptree_step* asi, const steptree_outcome* outcome,
                                   void* data) {
    const coded* const of = data;
    buffer told = {NULL, 0, 0};
    if (of->id.size != 0) write_line(of->world, of->id);
    put_outcome(&told, outcome);
    const steptree_text text = {told.data, told.size};
    const steptree_error* const error = run_and_give(of, asi, of->actions, text, 0);
    free(told.data);
    return error;
}

coded* code_of(world* w, steptree_text id, const steptree_value* actions) {
    coded* const made = take(&w->memory, sizeof *made);
    made->world = w;
    made->id = copy_text(&w->memory, id.data, id.size);
    made->actions = actions;
    made->gives = 1;
    return made;
}

coded* code_in(world* w, const steptree_value* form) {
    const steptree_text id = text_in(&map_of(form).entries[0].value);
    coded* const made = code_of(w, id, part(form, "do"));
    made->handler = part(form, "catch");
    return made;
}

steptree_closure closure_of(coded* of) {
    steptree_closure made = {&run_body, NULL, NULL, NULL, NULL};
    if (of->handler != NULL) made.onerror = &run_handler;
    count_data(of->world, &made.data, &made.drop, of);
    return made;
}

steptree_closure handler_of(world* w, steptree_text id, const steptree_value* actions) {
    coded* const of = code_of(w, id, NULL);
    of->handler = actions;
    steptree_closure made = closure_of(of);
    made.body = NULL;
    return made;
}

const steptree_error* closure_in(world* w, const steptree_value* form, int gives, int handles,
                                 steptree_closure* into) {
    const steptree_value* const inside = part(form, "body");
    const steptree_definition* value = NULL;
    if (inside != NULL) {
        const steptree_error* const error = value_of(w, inside, &value);
        if (error != NULL) return error;
    }
    coded* const of = code_in(w, form);
    of->gives = gives;
    if (!handles) of->handler = NULL;
    *into = closure_of(of);
    if (value != NULL) into->body = NULL;
    into->value = value;
    return NULL;
}

void drop_value(const steptree_closure* of) {
    api->define->drop(of->value);
}
