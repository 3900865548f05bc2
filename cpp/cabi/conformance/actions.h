/* What bodies, handlers and events do. */
#ifndef CONFORMANCE_ACTIONS_H
#define CONFORMANCE_ACTIONS_H

#include "world.h"

/* How actions were left. */
enum { GOES_ON, THROWN, LEFT };
typedef struct left {
    int how;
    const steptree_error* error; /* THROWN: what is to be returned */
    const char* word;            /* LEFT: what a `try` calls it */
} left;

extern const left goes_on;
/* A call: an error of it is thrown. */
left called(const steptree_error* error);

/* Actions of code that has this accessor, from the one of that number on. */
left perform(world* w, const context* of, const steptree_value* actions, size_t first);
/* Those from outside: what they throw is logged. */
void external(world* w, const steptree_value* actions);

/* An action on the accessor; 0: there is none of that name. */
int perform_own(world* w, const context* of, steptree_text name, const steptree_value* action,
                left* into);

steptree_text name_of(const steptree_value* action);

/* executions.c */
left execute(world* w, const steptree_value* action, int as_promise);
left start(world* w, const steptree_value* action);
void make_scope(world* w, const steptree_value* action);
left close_scope(world* w, const steptree_value* action);
left drain_scope(world* w, const steptree_value* action);
void check_runs(world* w);

/* looks.c */
left look(world* w, const steptree_value* action);
left observe(world* w, const steptree_value* action);
left make_recorder(world* w, const steptree_value* action);
/* Waits that last so long are reported from now on; or no more. */
left watch_stalls(world* w, const steptree_value* wait);
left log_recording(world* w, steptree_text name);

/* text.c: lines of the trace */
void put_values(buffer* to, const steptree_value* values, size_t count);
void put_outcome(buffer* to, const steptree_outcome* outcome);
void put_views(buffer* to, steptree_step* asi, const steptree_value* views);
/* Writes what has been put, and frees it. */
void write_buffer(world* w, buffer* line);
/* The number of a portable code; 0: it's none. */
int32_t number_of_code(steptree_text code);
const steptree_error* foreign_error(const steptree_value* action);

#endif
