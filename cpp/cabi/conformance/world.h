/* All that one case has: its tool, flows, promises and kept things by name, and the trace. */
#ifndef CONFORMANCE_WORLD_H
#define CONFORMANCE_WORLD_H

#include "json.h"

extern const steptree_api* api;

enum { kLongestTrace = 10000 };

/* Things of one sort by their names, in the order in which they came. */
typedef struct named {
    steptree_text name;
    void* thing;
    struct named* next;
} named;

/* A promise that a case settles by name; any number of steps may wait for it. */
typedef struct promise {
    struct world* world;
    steptree_text name;
    int settled, tells, lasts; /* it logs its cancels; it takes time to stop */
    size_t steps;              /* that await it */
    const steptree_value* value;
    const steptree_error* error;
    steptree_awaiter* awaiters;
    size_t count, room;
} promise;

/* One run of a flow: its end is told once, or never if it was refused or its flow has gone. */
typedef struct execution {
    struct world* world;
    steptree_text flow;
    int told, refused, gone;
    struct execution* next;
} execution;

/* An accessor that is kept, or that of the code that runs. */
typedef struct context {
    steptree_step* asi; /* null: none */
    steptree_text id;
    int outside;           /* the accessor's step is not the one whose code runs */
    int prolonged;         /* its body returns a promise */
    steptree_text outcome; /* what a deferred function or unlock() is told */
} context;

typedef struct world {
    arena memory;
    const steptree_value* program;
    buffer* trace;
    size_t lines;
    int64_t time;
    int over;
    steptree_text fault; /* what has kept the case from being run */
    steptree_tool* tool;
    steptree_step* current; /* whose code runs */
    steptree_signal* ending;
    steptree_handle *watching, *stalls;
    uint64_t ended_here[500];
    size_t ended_count;
    int looks; /* it takes snapshots */
    execution* executions;
    named *flows, *completions, *handles, *contexts, *guards, *keyed, *channels, *budgets,
        *promises, *signals, *scopes, *locals, *recorders, *listeners, *old_guards, *old_keyed,
        *old_channels;
    size_t made, dropped, serial; /* data of closures */
    /* Of forms that are another language's: a step value, which is owned. Null: there are none. */
    const steptree_definition* (*elsewhere)(const steptree_value* form);
} world;

/* The thing of that name; null: none. */
void* find(named* among, steptree_text name);
void* found(world* w, named* among, steptree_text name);
/* Puts it there, and gives what stood there. */
void* set_named(world* w, named** among, steptree_text name, void* thing);

/* Adds a line to the trace. */
void write_line(world* w, steptree_text line);
/* The same of parts, up to a null. */
void say(world* w, ...);
int ended(const world* w);
void stop(world* w);
void set_fault(world* w, const char* why, steptree_text what);

promise* promise_of(world* w, steptree_text name);
void settle(promise* of, const steptree_value* value, const steptree_error* error);
/* What a step awaits. */
steptree_awaitable awaitable_of(promise* of);

steptree_flow* flow_of(world* w, steptree_text name);
void adopt(world* w, steptree_text name, steptree_flow* flow);
steptree_signal* signal_of(world* w, steptree_text name);
steptree_scope* scope_of(world* w, steptree_text name);
/* Fills the options that a flow of that name has. */
void options_of(world* w, steptree_text name, const steptree_value* given, steptree_options* into);

/* Data of a closure, which begins with the world; whether it's dropped once is counted. */
void count_data(world* w, void** data, void (**drop)(void*), void* of);

/* Runs a case; the answer's parts go to `into`. */
void run_case(const steptree_value* program, buffer* into);

#endif
