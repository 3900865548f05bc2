/* Steps, as a case describes them. */
#ifndef CONFORMANCE_FORMS_H
#define CONFORMANCE_FORMS_H

#include "actions.h"

/* What steps are added to: a step or a flow, or branches alone. */
typedef struct target {
    steptree_adder* to;
    steptree_step* asi;
    steptree_flow* flow;
} target;

/* Whether an action is a form. */
int is_form(const steptree_value* action);
const steptree_error* add_form(world* w, target to, const steptree_value* form);
const steptree_error* add_forms(world* w, target to, const steptree_value* forms);

/* Whether it's another language's. */
int is_elsewhere(world* w, const steptree_value* form);

/* The step value of a form, which is owned. */
const steptree_error* value_of(world* w, const steptree_value* form,
                               const steptree_definition** into);

/* ---- what forms consist of ---- */

/* The code of one form, or of another thing that has some; `id` is what the trace calls it. */
typedef struct coded {
    world* world; /* first: see count_data */
    steptree_text id;
    const steptree_value* actions;
    const steptree_value* handler; /* null: none */
    const steptree_value* at;      /* of a map: actions by the number of the item */
    int gives;                     /* what a body of this returns isn't dropped */
} coded;

coded* code_of(world* w, steptree_text id, const steptree_value* actions);
/* That of a form, with its handler. */
coded* code_in(world* w, const steptree_value* form);
/* The closure of a body, and of the handler if the code has one. */
steptree_closure closure_of(coded* of);
/* That of a handler alone. */
steptree_closure handler_of(world* w, steptree_text id, const steptree_value* actions);
/* Body, or what stands in its place: `value` is to be dropped. */
const steptree_error* closure_in(world* w, const steptree_value* form, int gives, int handles,
                                 steptree_closure* into);
void drop_value(const steptree_closure* of);

const steptree_error* run_body(steptree_step* asi, const steptree_args* args, void* data);
/* A body that writes nothing, and whose value is dropped. */
const steptree_error* run_silently(const coded* of, steptree_step* asi);
const steptree_error* run_deferred(steptree_step* asi, const steptree_outcome* outcome, void* data);

/* What a form goes through, as the value that stands for it. */
steptree_value collection_of(world* w, const steptree_value* of);
int64_t times_of(const steptree_value* form);

/* ---- guards.c ---- */

const steptree_error* make_guard(world* w, steptree_text name, const steptree_value* given);
const steptree_error* make_channel(world* w, steptree_text name, const steptree_value* given);
const steptree_error* guard_of(world* w, const steptree_value* form, steptree_guard** into);
void log_guard(world* w, const steptree_value* action);
/* A limit, which is one less than is allowed where it's no whole number. */
int64_t limit_of(const steptree_value* given, const char* key, int64_t least);

#endif
