/* The C interface of steptree: C99, and all that a plug-in or a binding needs. What the rules are
 * stands in spec/abi.md; words such as line, turn and step are explained in spec/README.md.
 *
 * A host gives its plug-ins a steptree_api, a table of tables of functions. Each table begins with
 * its size: STEPTREE_HAS says whether a member is there. Members are only added at ends.
 *
 *   errors    A call that may fail returns null, or what it has failed with. That belongs to the
 *             runtime, until the next call on this thread fails, those inside of a call left out;
 *             `keep` is for longer. The code of misuse is InternalError. A body or handler that
 *             returns an error fails with it. What a call gives by a pointer it leaves alone if it
 *             fails.
 *   values    What the runtime gives is lent, and good until the function that got it returns. What
 *             it's given is copied in the call, but for the pointer of an opaque value: that is
 *             given away with its first copy, also if the call fails, and dropped with the last
 *             one. Who wants to give it twice keeps the value first, and gives the kept one.
 *   data      Of functions that are given to the runtime: dropped once, when nothing calls them any
 *             more, also if the call that gave them has failed.
 *   structs   What begins with `size` may grow at its end; other structs never change. A program
 *             sets it to sizeof its own struct. An older one is read as far as it goes. Of a newer
 *             one, what is beyond has to be 0, as have `reserved` and unknown bits of `flags` and
 *             `given`: else the call is refused with a sentence. A size that isn't set is refused
 *             unread. What is filled is filled no further than its size, which is set to what was.
 *   options   0 is the usual: a member that has a default counts if its bit of `given` is set.
 *   texts     UTF-8, without a 0 at the end; lent as values are. They aren't checked: what isn't
 *             UTF-8 goes on as it is.
 *   times     Milliseconds with fractions, rounded up; infinity is never.
 *   threads   The tool's, unless a function says "any thread". A flow is made, filled, executed,
 *             cancelled and dropped on one thread at a time, if that isn't the tool's: these calls
 *             wait for the tool then. The calls of a state aren't checked.
 *
 * No exception crosses it, and no longjmp may. Functions that are given to the runtime are called
 * on the tool's thread, unless it is said otherwise.
 *
 *     static const steptree_error* greet(steptree_step* asi, const steptree_args* args,
 *                                        void* data) {
 *         const steptree_api* api = data;
 *         if (args->count == 0) {
 *             return api->step->error(asi, STEPTREE_TEXT("NoName"), STEPTREE_NO_TEXT);
 *         }
 *         return api->step->success(asi, args->values, 1);
 *     }
 */
#ifndef STEPTREE_STEPTREE_H
#define STEPTREE_STEPTREE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- handles: the runtime's, and opaque ---- */

/* The accessor of a step, good as long as that is open. It's a steptree_adder: STEPTREE_ADDER. */
typedef struct steptree_step steptree_step;
/* What steps are added to: a step, a flow, or the branches of a parallel. */
typedef struct steptree_adder steptree_adder;
/* A flow; its owner drops it. It's a steptree_adder. */
typedef struct steptree_flow steptree_flow;
/* An event loop; its owner drops it, after all that runs on it. */
typedef struct steptree_tool steptree_tool;
/* A step that is described once. It never changes, and is counted: any thread. */
typedef struct steptree_definition steptree_definition;
/* An error. It never changes, and is counted: any thread. */
typedef struct steptree_error steptree_error;
/* What all steps of a flow share. */
typedef struct steptree_state steptree_state;
/* A guard. Has to outlive the runs that use it. */
typedef struct steptree_guard steptree_guard;
/* A guard for each key. Has to outlive the runs that use it. */
typedef struct steptree_keyed steptree_keyed;
/* A channel of values. Has to outlive the runs that use it. */
typedef struct steptree_channel steptree_channel;
/* Bounds retries and hedges. Has to outlive the runs that use it. */
typedef struct steptree_budget steptree_budget;
/* "Not wanted any more". Counted: any thread. */
typedef struct steptree_signal steptree_signal;
/* Owns flows, and ends them together. */
typedef struct steptree_scope steptree_scope;
/* What can be taken back: a pending callback, a listener, an observation. */
typedef struct steptree_handle steptree_handle;
/* Has the last events of a tool. */
typedef struct steptree_recorder steptree_recorder;
/* What loads plug-ins, and offers them services; its owner drops it, or it's what a plug-in gets.
 */
typedef struct steptree_plugin_host steptree_plugin_host;

/* ---- texts and values ---- */

typedef struct steptree_text {
    const char* data; /* null: empty */
    size_t size;      /* in bytes */
} steptree_text;

/* The types of values. */
enum {
    STEPTREE_NOTHING = 0,
    STEPTREE_BOOL = 1,
    STEPTREE_INT64 = 2,
    STEPTREE_DOUBLE = 3,
    STEPTREE_STRING = 4, /* UTF-8 */
    STEPTREE_BYTES = 5,
    STEPTREE_LIST = 6,
    STEPTREE_MAP = 7,
    STEPTREE_OPAQUE = 8
};

struct steptree_value;
struct steptree_entry;

typedef struct steptree_list {
    const struct steptree_value* items;
    size_t count;
} steptree_list;

/* Its entries in their order; keys may be of any type. */
typedef struct steptree_map {
    const struct steptree_entry* entries;
    size_t count;
} steptree_map;

/* What an opaque value is. Of a program's own: one static object a type, whose address tells it. */
typedef struct steptree_kind {
    uint32_t size;
    uint32_t reserved;
    steptree_text name;          /* for messages; of a C++ value: its type */
    void (*drop)(void* pointer); /* the last copy is gone, on any thread; null: nothing to do */
} steptree_kind;

typedef struct steptree_opaque {
    void* pointer;
    const steptree_kind* kind;
} steptree_opaque;

/* A value. Nested at most 256 deep. */
typedef struct steptree_value {
    uint32_t tag;      /* its type: STEPTREE_NOTHING and so on */
    uint32_t reserved; /* 0 */
    union {
        int64_t boolean; /* 0 or 1 */
        int64_t integer;
        double number;
        steptree_text text; /* string and bytes */
        steptree_list list;
        steptree_map map;
        steptree_opaque opaque;
    } of;
    const void* owner; /* the runtime's; null in a value that a program makes */
} steptree_value;

typedef struct steptree_entry {
    steptree_value key;
    steptree_value value;
} steptree_entry;

/* What a body is given. */
typedef struct steptree_args {
    const steptree_value* values; /* of the step before, or of the iteration, item or attempt */
    size_t count;                 /* 0 to 4 */
    const void* owner;            /* the runtime's; null in what a program makes */
} steptree_args;

/* ---- functions of a program ---- */

/* A body, a deferred function without an outcome, lock() of a guard. Null: it has returned well. */
typedef const steptree_error* (*steptree_body)(steptree_step* asi, const steptree_args* args,
                                               void* data);
/* An error handler. */
typedef const steptree_error* (*steptree_handler)(steptree_step* asi, steptree_text code,
                                                  void* data);

/* What hooks are told: an error that nobody handles, or that is none of the flow. */
typedef void (*steptree_hook)(const steptree_error* error, void* data);

/* How a step or a flow has ended. */
enum { STEPTREE_OK = 0, STEPTREE_ERROR = 1, STEPTREE_CANCELLED = 2 };

typedef struct steptree_outcome {
    uint32_t size;
    uint32_t kind;                /* STEPTREE_OK and so on */
    const steptree_value* values; /* of an ok */
    size_t count;
    const steptree_error* error; /* null for an ok */
    steptree_text code;          /* of an error; `Canceled` of a cancel */
    steptree_text reason;        /* of a cancel */
} steptree_outcome;

/* Is told an outcome: a deferred function, unlock() of a guard. */
typedef const steptree_error* (*steptree_deferred)(steptree_step* asi,
                                                   const steptree_outcome* outcome, void* data);

/* What holds for a struct: bits of its `flags`. */
enum {
    STEPTREE_TAKES_TIME = 1, /* an awaitable */
    STEPTREE_UNORDERED = 2,  /* a map: results come as they are known */
    STEPTREE_RELEASES = 4,   /* mutex, limiter, rwlock: what is abandoned gives its place back */
    STEPTREE_CLOSED = 8,     /* a gate: it's closed when it's made */
    STEPTREE_ANY_THREAD = 16 /* guards and channels: for flows of any threads; else of one */
};

/* Which members of options are given: bits of their `given`. */
enum {
    STEPTREE_GIVEN_BURST = 1 << 0,
    STEPTREE_GIVEN_GRACE = 1 << 1,
    STEPTREE_GIVEN_CHOICES = 1 << 2,
    STEPTREE_GIVEN_MAX = 1 << 3,
    STEPTREE_GIVEN_BASE = 1 << 4,
    STEPTREE_GIVEN_FACTOR = 1 << 5,
    STEPTREE_GIVEN_CAP = 1 << 6,
    STEPTREE_GIVEN_JITTER = 1 << 7,
    STEPTREE_GIVEN_CODES = 1 << 8,
    STEPTREE_GIVEN_MAX_QUEUE = 1 << 9,
    STEPTREE_GIVEN_RATE = 1 << 10,
    STEPTREE_GIVEN_PERIOD = 1 << 11,
    STEPTREE_GIVEN_CALLS = 1 << 12,
    STEPTREE_GIVEN_MIN_CALLS = 1 << 13,
    STEPTREE_GIVEN_OPEN_FOR = 1 << 14,
    STEPTREE_GIVEN_PROBES = 1 << 15,
    STEPTREE_GIVEN_SHARE = 1 << 16,
    STEPTREE_GIVEN_ALGORITHM = 1 << 17,
    STEPTREE_GIVEN_BODY = 1 << 18,
    STEPTREE_GIVEN_WAIT = 1 << 19
};

/* A body, or a step value in its place, and an error handler. */
typedef struct steptree_closure {
    steptree_body body;               /* null: `value` stands there, or nothing is done */
    void* data;                       /* of body and onerror */
    void (*drop)(void* data);         /* null: nothing to do */
    steptree_handler onerror;         /* null: none */
    const steptree_definition* value; /* without a body; counted by the call; null: none */
} steptree_closure;

/* Something that is called back. */
typedef struct steptree_callback {
    void (*call)(void* data); /* null: nothing */
    void* data;
    void (*drop)(void* data); /* null: nothing to do */
} steptree_callback;

/* Something that is told an outcome. */
typedef struct steptree_done {
    void (*call)(const steptree_outcome* outcome, void* data); /* null: nothing */
    void* data;
    void (*drop)(void* data); /* null: nothing to do */
} steptree_done;

/* Rights, which any thread may use: two words, which are copied by `keep` and given back by `drop`
 * of their own table only. */

/* To end the wait of one step, once. */
typedef struct steptree_completion {
    void* slot; /* null: of nothing */
    uint64_t generation;
} steptree_completion;

/* To tell, once, how an operation has ended that a step awaits. */
typedef struct steptree_awaiter {
    void* slot; /* null: of nothing */
    uint64_t generation;
} steptree_awaiter;

/* To cancel one run of a flow. */
typedef struct steptree_canceller {
    void* slot; /* null: of nothing */
    uint64_t generation;
} steptree_canceller;

/* An operation that a step awaits. */
typedef struct steptree_awaitable {
    uint32_t size;
    uint32_t flags; /* STEPTREE_TAKES_TIME */
    /* Begins it, and keeps the awaiter, which is owned, to tell how it ends, which may be at once.
     */
    void (*subscribe)(steptree_awaiter awaiter, void* data);
    /* The step is closed and waits no more. 1: with STEPTREE_TAKES_TIME the operation goes on, and
     * is waited for until it tells its end, up to the flow's `grace`. */
    int32_t (*cancel)(void* data);
    void* data;
    void (*drop)(void* data); /* null: nothing to do */
} steptree_awaitable;

/* Where items come from: the next is asked for when there is room for it. */
typedef struct steptree_source {
    uint32_t size;
    uint32_t reserved;
    void* (*begin)(void* data); /* a run of it begins: what `next` and `end` get */
    /* Sets `has` to 1 and fills `into`, which is copied before the next call, or sets it to 0. */
    const steptree_error* (*next)(void* run, steptree_value* into, int32_t* has);
    void (*end)(void* run); /* once a run */
    void* data;
    void (*drop)(void* data); /* null: nothing to do */
} steptree_source;

/* ---- errors: any thread ---- */

typedef struct steptree_error_api {
    uint32_t size;
    uint32_t reserved;

    /* One more that owns it; lives until as many `drop`. */
    void (*keep)(const steptree_error* error);
    void (*drop)(const steptree_error* error);

    /* An error, to be returned; belongs to the runtime, as that of a call that has failed. Empty
     * code: InternalError. `cause` is counted; null: none. */
    const steptree_error* (*make)(steptree_text code, steptree_text info,
                                  const steptree_error* cause);
    /* That of a call of the system: its code is the name of the number, `ECONNREFUSED`; 0 and those
     * without a portable name: InternalError, or the code of its cause. It is foreign: the error
     * that is made of it has it as cause. */
    const steptree_error* (*of_system)(int32_t number, steptree_text info,
                                       const steptree_error* cause);

    /* What handlers compare. Lent as long as the error, as are all texts of it. */
    steptree_text (*code)(const steptree_error* error);
    steptree_text (*info)(const steptree_error* error); /* empty: none */
    steptree_text (*path)(const steptree_error* error); /* from the root: `page/1/|carts/#2` */
    /* What is behind it; null: nothing. Belongs to the error. */
    const steptree_error* (*cause)(const steptree_error* error);
    /* Errors of the same closing; `number` from 0 on; null: there are no more. Belong to the error.
     */
    const steptree_error* (*also)(const steptree_error* error, size_t number);
    /* Whether it is none of the runtime's kind: a C++ exception, or of of_system(), of_object(). */
    int32_t (*foreign)(const steptree_error* error);
    /* Of a refusal: milliseconds after which somebody may be let in again; -1: not known. */
    int64_t (*retry_after)(const steptree_error* error);
    /* Whether a guard or channel of the runtime has refused. */
    int32_t (*refused)(const steptree_error* error);
    /* The name of that; empty: it has none. */
    steptree_text (*guard)(const steptree_error* error);
    /* Of a timeout: what was waited for; empty: nothing. */
    steptree_text (*waits)(const steptree_error* error);

    /* As of_system, of an exception of another language: `object` is kept with it, and dropped with
     * its last copy. What is told how a run ends gets it with the path of where it was raised. */
    const steptree_error* (*of_object)(int32_t number, steptree_text info, steptree_opaque object,
                                       const steptree_error* cause);
    /* That object, lent as long as the error; its kind is null: there is none. */
    steptree_opaque (*object)(const steptree_error* error);
    /* As make, of a guard of the program's own that has refused: what `refused`, `guard` and
     * `retry_after` tell. Empty code: DefenseRejected. Its info is `guard 'name': why`.
     * `retry_after` in ms; below 0: not known. */
    const steptree_error* (*make_refusal)(steptree_text code, steptree_text guard,
                                          steptree_text why, int64_t retry_after);
} steptree_error_api;

/* ---- values that are owned: any thread ---- */

typedef struct steptree_value_api {
    uint32_t size;
    uint32_t reserved;

    /* A copy of a value, which is the program's until it is dropped. */
    const steptree_error* (*keep)(const steptree_value* value, steptree_value* into);
    /* Of such a copy, and of values that a function says are owned; it is nothing then. */
    void (*drop)(steptree_value* value);
} steptree_value_api;

/* ---- adding steps ----
 * To a step in its body or handler, to a flow while it is idle, to the branches of a parallel until
 * that starts: else InternalError, and nothing is added. Steps of one adder run one after another,
 * branches side by side. What closes a step from outside, a timeout, a cancel or a failed sibling,
 * cancels what runs in it, innermost first. An error that leaves a step goes to its handler, then
 * outwards; a handler recovers by `success` or by adding steps. */

typedef struct steptree_add_api {
    uint32_t size;
    uint32_t reserved;

    /* A step, whose body gets the values of the step before. It ends when the body, what it waits
     * for and all steps that it has added have. */
    const steptree_error* (*step)(steptree_adder* to, const steptree_closure* closure);
    /* The same with a name, which paths show in the place of its number; empty: none. */
    const steptree_error* (*named_step)(steptree_adder* to, const steptree_closure* closure,
                                        steptree_text name);
    /* Runs the body, without values, until break_loop. Loops have no result, and no handler. */
    const steptree_error* (*repeat_until_break)(steptree_adder* to, const steptree_closure* closure,
                                                steptree_text label);
    /* The same `count` times, with the numbers from 0 on. Below 0: InternalError of the step. */
    const steptree_error* (*repeat)(steptree_adder* to, int64_t count,
                                    const steptree_closure* closure, steptree_text label);
    /* The same for each element of a list, with its number, or of a map, with its key. Of any other
     * value: InternalError of the step. The value is copied. */
    const steptree_error* (*for_each)(steptree_adder* to, const steptree_value* collection,
                                      const steptree_closure* closure, steptree_text label);
    /* The same for each value that is received, with its number, until the channel is closed and
     * empty. */
    const steptree_error* (*for_each_of)(steptree_adder* to, steptree_channel* channel,
                                         const steptree_closure* closure, steptree_text label);
    /* Waits for an operation, which begins with the step; its values are the step's, its error,
     * too. Of the closure the handler counts. */
    const steptree_error* (*await_operation)(steptree_adder* to,
                                             const steptree_awaitable* awaitable,
                                             const steptree_closure* closure);
    /* Executes a flow when the step opens, ends with its values or its error, and cancels it with
     * the step. The flow has to outlive the step. InternalError of the step for a flow that runs,
     * or is of another tool. */
    const steptree_error* (*await_flow)(steptree_adder* to, steptree_flow* flow,
                                        const steptree_closure* closure);
    /* A section: the body runs once the guard is locked; its handler is inside of the lock. It's
     * unlocked on every way out. Deadlock, DefenseRejected: of the step. */
    const steptree_error* (*sync)(steptree_adder* to, steptree_guard* guard,
                                  const steptree_closure* closure);
    /* The same with the guard of a key. */
    const steptree_error* (*sync_key)(steptree_adder* to, steptree_keyed* keyed, steptree_text key,
                                      const steptree_closure* closure);
    /* A step value, which is counted, with a handler and a name if the closure and the text have
     * them. */
    const steptree_error* (*value)(steptree_adder* to, const steptree_definition* value,
                                   const steptree_closure* closure, steptree_text name);
    /* A step, without a result, at which the line makes way for others. Not for branches. */
    const steptree_error* (*relinquish)(steptree_adder* to);
    /* A step with these values as result: at most 4. */
    const steptree_error* (*success)(steptree_adder* to, const steptree_value* values,
                                     size_t count);
    /* A call of a service of the host, as the step value of `host->service` is one, with these
     * values: at most 4. `values` null: with those of the step before. Of the closure the handler
     * counts; null: none. */
    const steptree_error* (*service)(steptree_adder* to, steptree_plugin_host* host,
                                     steptree_text name, const steptree_value* values, size_t count,
                                     const steptree_closure* closure);
} steptree_add_api;

/* ---- the accessor of a step ----
 * Valid in the step's body, in its handler, and while it is the innermost open one of its line and
 * waits: else InternalError, and nothing is done. In bodies and handlers what ends the step only
 * takes note; the last error or loop control decides when the body has returned. */

typedef struct steptree_step_api {
    uint32_t size;
    uint32_t reserved;

    /* Ends the step well, with at most 4 values for the next body; more fail it with InternalError.
     */
    const steptree_error* (*success)(steptree_step* asi, const steptree_value* values,
                                     size_t count);
    /* The same with all that the body was given, also what only C++ knows. The last use of `args`.
     */
    const steptree_error* (*forward)(steptree_step* asi, const steptree_args* args);
    /* Fails the step. Empty code: InternalError of the step. */
    const steptree_error* (*error)(steptree_step* asi, steptree_text code, steptree_text info);
    /* The same with a cause, which is counted; null: none. */
    const steptree_error* (*error_of)(steptree_step* asi, steptree_text code, steptree_text info,
                                      const steptree_error* cause);
    /* Ends the innermost loop around, or the nearest one with the label; without one
     * InternalError, with which the step fails, too. */
    const steptree_error* (*break_loop)(steptree_step* asi, steptree_text label);
    /* Goes on with the next iteration of that. */
    const steptree_error* (*continue_loop)(steptree_step* asi, steptree_text label);

    /* As the last call of a body: what it returns. The result, if the body doesn't end its step in
     * another way: at most 4 values. Beside success it's ignored; beside steps that were added, and
     * wait_external, the step fails with InternalError. Handlers and rounds of loops give nothing.
     */
    const steptree_error* (*give)(steptree_step* asi, const steptree_value* values, size_t count);
    /* The same: the step goes on when the operation has ended, with its values or its error. */
    const steptree_error* (*give_awaitable)(steptree_step* asi,
                                            const steptree_awaitable* awaitable);

    /* Limits the step and all under it; what is inside is cancelled then, and Timeout, or the code,
     * is raised here; `code.data` null: Timeout. One timer a step, the last call counts. The step
     * waits, unless its body has ended it or added steps. Negative, NaN, an empty code:
     * InternalError. */
    const steptree_error* (*set_timeout)(steptree_step* asi, double ms, steptree_text code);
    /* Is called once, at once, when the step ends in any other way than ok. Again: replaces it. In
     * it only state, signal and locals work; what it returns is reported. The step waits as above.
     */
    const steptree_error* (*set_cancel)(steptree_step* asi, steptree_body handler, void* data,
                                        void (*drop)(void* data));
    /* Runs when the step closes, whatever ends it, as the body of a step of its own, which may add
     * steps and wait; the last one first. Nothing from outside ends it; after the flow's `grace` it
     * is abandoned and reported. The outcome is how the step closes. */
    const steptree_error* (*defer)(steptree_step* asi, steptree_deferred function, void* data,
                                   void (*drop)(void* data));
    /* Milliseconds until the nearest timeout around; INT64_MAX without any. */
    const steptree_error* (*remaining)(steptree_step* asi, int64_t* ms);
    /* Makes the step wait until the completion, which is owned, is used. Dropped, a timeout, an
     * error or a cancel ends the step. A body that ends its step or adds steps doesn't wait, nor
     * does a handler, whose completion is of nothing. */
    const steptree_error* (*wait_external)(steptree_step* asi, steptree_completion* into);
    /* A step whose branches run side by side; it ends when all have ended, the first error cancels
     * the others. Of the closure the handler counts. `branches` is good until the step has closed.
     */
    const steptree_error* (*parallel)(steptree_step* asi, const steptree_closure* closure,
                                      steptree_text name, steptree_adder** branches);

    /* 1: calls would be taken. */
    int32_t (*valid)(const steptree_step* asi);
    /* That of the flow; good as long as the step is. */
    const steptree_error* (*state)(steptree_step* asi, steptree_state** into);
    /* Sets a local, for the step and all below it, until it closes. `key`: any address, of what
     * lives longer. */
    const steptree_error* (*set_local)(steptree_step* asi, const void* key,
                                       const steptree_value* value);
    /* What the innermost step around has set, lent until that sets another or closes; null: none
     * has. */
    const steptree_error* (*local)(steptree_step* asi, const void* key,
                                   const steptree_value** into);
    /* Aborted when the step ends in any other way than ok; `into` is owned. */
    const steptree_error* (*signal)(steptree_step* asi, steptree_signal** into);
    /* The error that is handled, in a handler or a cancel handler; null: none. Belongs to the
     * runtime until the next call of this on this thread. */
    const steptree_error* (*last_error)(steptree_step* asi);
    /* What has been thrown for it: a foreign error itself. As last_error. */
    const steptree_error* (*last_thrown)(steptree_step* asi);
    /* A flow of the same tool, burst and hooks; `into` is owned. */
    const steptree_error* (*new_instance)(steptree_step* asi, steptree_flow** into);
    /* Its tool, good as long as that: `into` is owned, and dropped it leaves the tool alone. */
    const steptree_error* (*tool)(steptree_step* asi, steptree_tool** into);
    /* Of a flow that a tool or a scope has started: `data` of its options, if their `report` is
     * this one, which is how a program knows its own. Of other flows: null. Each flow has a state
     * of its own, by which these are told apart. While the step is open. */
    void* (*flow_data)(const steptree_step* asi, steptree_hook report);
} steptree_step_api;

/* ---- completions, awaiters, cancellers: any thread; they never wait, and never dangle ---- */

typedef struct steptree_completion_api {
    uint32_t size;
    uint32_t reserved;

    /* A copy, which is owned. */
    steptree_completion (*keep)(steptree_completion completion);
    void (*drop)(steptree_completion completion);
    /* Ends the wait; 1: it has won. At most 4 values; more fail the step with InternalError. */
    int32_t (*success)(steptree_completion completion, const steptree_value* values, size_t count);
    int32_t (*error)(steptree_completion completion, steptree_text code, steptree_text info);
    /* With an error as it is: as if the body had returned it. */
    int32_t (*fail)(steptree_completion completion, const steptree_error* error);
    /* 1: the step still waits. */
    int32_t (*valid)(steptree_completion completion);
} steptree_completion_api;

typedef struct steptree_awaiter_api {
    uint32_t size;
    uint32_t reserved;

    /* A copy, which is owned. */
    steptree_awaiter (*keep)(steptree_awaiter awaiter);
    void (*drop)(steptree_awaiter awaiter);
    /* The operation has ended. Late or twice: nothing. At most 4 values; more fail the step with
     * InternalError. */
    void (*success)(steptree_awaiter awaiter, const steptree_value* values, size_t count);
    void (*fail)(steptree_awaiter awaiter, const steptree_error* error);
} steptree_awaiter_api;

typedef struct steptree_canceller_api {
    uint32_t size;
    uint32_t reserved;

    /* A copy, which is owned. */
    steptree_canceller (*keep)(steptree_canceller canceller);
    void (*drop)(steptree_canceller canceller);
    /* Cancels its run, if that still goes on. */
    void (*cancel)(steptree_canceller canceller, steptree_text reason);
} steptree_canceller_api;

/* ---- the state of a flow ---- */

typedef struct steptree_state_api {
    uint32_t size;
    uint32_t reserved;

    /* Lent until the key is set or erased, or the next `get` on this thread; nothing if there is
     * none, which `has` tells from a nothing. Of a type that only C++ knows: opaque. */
    const steptree_error* (*get)(steptree_state* state, steptree_text key, steptree_value* into);
    const steptree_error* (*set)(steptree_state* state, steptree_text key,
                                 const steptree_value* value);
    int32_t (*has)(steptree_state* state, steptree_text key);
    const steptree_error* (*erase)(steptree_state* state, steptree_text key);
    const steptree_error* (*clear)(steptree_state* state);
} steptree_state_api;

/* ---- flows ---- */

/* Of flows. It is read in the call. */
typedef struct steptree_options {
    uint32_t size;
    uint32_t given;          /* of burst, grace */
    uint32_t burst;          /* bodies of the root line in a turn, at least 1 (100) */
    uint32_t reserved;       /* 0 */
    steptree_text name;      /* what snapshots call it */
    double grace;            /* of a cleanup, at least 0 ms (5000) */
    steptree_hook unhandled; /* without done; null: printed, the process aborts */
    steptree_hook report;    /* null: printed */
    void* data;
    void (*drop)(void* data);
} steptree_options;

typedef struct steptree_flow_api {
    uint32_t size;
    uint32_t reserved;

    /* An idle flow, which is owned. `options` null: the usual ones. */
    const steptree_error* (*make)(steptree_tool* tool, const steptree_options* options,
                                  steptree_flow** into);
    /* Cancels it if it runs; nothing is waited for. */
    void (*drop)(steptree_flow* flow);
    /* Starts it: its first body runs from the tool. `done` is called once, when it's idle again,
     * but if the flow or its tool is dropped before: then its data is dropped, and that is all.
     * `done` null: an error goes to `unhandled`. `signal`, counted, cancels it; null: none.
     * InternalError while it runs. */
    const steptree_error* (*execute)(steptree_flow* flow, const steptree_done* done,
                                     steptree_signal* signal);
    /* Ends it without error handlers; cancel handlers have run when it returns, unless it is called
     * inside of the flow, or of another one's cancel handler. Idle: empties the queue. */
    const steptree_error* (*cancel)(steptree_flow* flow, steptree_text reason);
    /* Any thread. */
    int32_t (*running)(const steptree_flow* flow);
    /* Calls back when nothing of it is open any more. */
    const steptree_error* (*closed)(steptree_flow* flow, const steptree_callback* callback);
    /* As that of a step. */
    const steptree_error* (*parallel)(steptree_flow* flow, const steptree_closure* closure,
                                      steptree_text name, steptree_adder** branches);
    const steptree_error* (*state)(steptree_flow* flow, steptree_state** into);
    /* A map as spec/snapshot.schema.json has it; `into` is owned. */
    const steptree_error* (*snapshot)(steptree_flow* flow, steptree_value* into);
    /* To cancel this run, or the next one of an idle flow, from any thread; `into` is owned. */
    const steptree_error* (*canceller)(steptree_flow* flow, steptree_canceller* into);
    /* The snapshot as text: a tree of lines, `max` of them at most; 0: any number. `into`: a
     * string, which is owned. */
    const steptree_error* (*snapshot_text)(steptree_flow* flow, size_t max, steptree_value* into);
} steptree_flow_api;

/* ---- tools ---- */

/* Of a virtual tool. */
typedef struct steptree_virtual_options {
    uint32_t size;
    uint32_t given;          /* of choices */
    uint32_t seed;           /* of random() */
    uint32_t order;          /* seed of the order; 0: first come, first served */
    const uint32_t* choices; /* in the place of `order` */
    size_t count;            /* of choices */
} steptree_virtual_options;

/* How an owned flow is started. */
typedef struct steptree_start_options {
    uint32_t size;
    uint32_t reserved;               /* 0 */
    const steptree_done* done;       /* null: none */
    steptree_signal* signal;         /* null: none */
    const steptree_options* options; /* null: the usual ones, of a scope its own */
} steptree_start_options;

typedef struct steptree_tool_api {
    uint32_t size;
    uint32_t reserved;

    /* A tool whose time is virtual, for tests; owned. `options` null: the usual ones. */
    const steptree_error* (*make_virtual)(const steptree_virtual_options* options,
                                          steptree_tool** into);
    /* A tool that runs in iterate() only; owned. `wake` is called once after an iterate() with
     * nothing to do at once, on any thread, when there is something: it must only signal. */
    const steptree_error* (*make_driven)(const steptree_callback* wake, steptree_tool** into);
    /* A tool with a thread of its own; owned. */
    const steptree_error* (*make_threaded)(steptree_tool** into);
    /* Drops what is pending, unrun. Not of a tool that the host has lent. */
    void (*drop)(steptree_tool* tool);

    /* One pass of a driven tool. `ms`: call again after so long: 0 at once, INT64_MAX when woken;
     * -1: nothing is pending. */
    const steptree_error* (*iterate)(steptree_tool* tool, int64_t* ms);
    /* Of a virtual tool: runs until nothing is pending. In a callback: InternalError. */
    const steptree_error* (*run)(steptree_tool* tool);
    /* The same, no further than `ms` from now. */
    const steptree_error* (*advance)(steptree_tool* tool, double ms);
    /* Of a virtual tool: the clock moves on, as if the callback had worked so long. */
    const steptree_error* (*elapse)(steptree_tool* tool, double ms);
    /* Of a virtual tool with choices: how many things there were to choose from at each. Lent until
     * the tool runs. */
    const uint32_t* (*alternatives)(steptree_tool* tool, size_t* count);

    /* Calls back in the next pass, or after so long. Any thread. `into` null: nobody takes it back;
     * else owned. */
    const steptree_error* (*immediate)(steptree_tool* tool, const steptree_callback* callback,
                                       steptree_handle** into);
    const steptree_error* (*deferred)(steptree_tool* tool, double ms,
                                      const steptree_callback* callback, steptree_handle** into);
    /* Milliseconds since the tool was made. Any thread, but for a virtual tool. */
    int64_t (*now)(const steptree_tool* tool);
    /* The next number: 0 or more and below 1, in steps of 2^-32. */
    const steptree_error* (*random)(steptree_tool* tool, double* into);
    /* How many timers have yet to fire. */
    const steptree_error* (*armed_timers)(steptree_tool* tool, size_t* into);

    /* Runs a step value in a flow that is the tool's. `options` null: the usual ones. Any thread.
     */
    const steptree_error* (*start)(steptree_tool* tool, const steptree_definition* value,
                                   const steptree_start_options* options);
    /* A map as spec/snapshot.schema.json has it; `into` is owned. */
    const steptree_error* (*snapshot)(steptree_tool* tool, steptree_value* into);
    /* The same as text, with guards, and lines that wait for one another; as that of a flow. */
    const steptree_error* (*snapshot_text)(steptree_tool* tool, size_t max, steptree_value* into);
    /* Is told what C++ throws in a callback of this tool; null, or without: it's printed, and the
     * process aborts. Any thread. */
    const steptree_error* (*on_error)(steptree_tool* tool, steptree_hook hook, void* data,
                                      void (*drop)(void* data));
    /* 1: what belongs to its thread is taken on this one. Any thread. */
    int32_t (*here)(const steptree_tool* tool);
} steptree_tool_api;

/* Any thread. */
typedef struct steptree_handle_api {
    uint32_t size;
    uint32_t reserved;

    /* It isn't called any more, unless it's being called on another thread: what listens to a
     * signal is waited for then. */
    void (*cancel)(steptree_handle* handle);
    /* 1: it is still to be called. */
    int32_t (*valid)(const steptree_handle* handle);
    /* A callback of a tool stays pending; a listener and an observation end. */
    void (*drop)(steptree_handle* handle);
} steptree_handle_api;

/* ---- step values: any thread ----
 * All make one, which is owned, into `into`. Bodies, and their data, are shared by all its runs, on
 * all threads. Bad options: InternalError. */

/* After which errors another attempt is made. 0: none; 1: after the wait; 2: after `ms`. */
typedef int32_t (*steptree_decide)(steptree_text code, const steptree_error* error, double* ms,
                                   void* data);

typedef struct steptree_retry_options {
    uint32_t size;
    uint32_t given;             /* of base, factor, cap, jitter, codes */
    int64_t max;                /* attempts in all, at least 1; INT64_MAX: as many as it takes */
    double base;                /* ms of the first wait (100) */
    double factor;              /* from one wait to the next (2) */
    double cap;                 /* ms of the longest one (20000) */
    double jitter;              /* which part is left to chance, 0 to 1 (1) */
    const steptree_text* codes; /* what another attempt may mend (what that is usually) */
    size_t count;               /* of codes */
    steptree_decide decide;     /* null: none; else in the place of codes */
    void* data;                 /* of decide */
    void (*drop)(void* data);
    steptree_budget* budget; /* null: none */
} steptree_retry_options;

typedef struct steptree_hedge_options {
    uint32_t size;
    uint32_t given;             /* of max, codes */
    double after;               /* ms from an attempt's begin to that of the next one */
    int64_t max;                /* attempts in all, at least 1 (2) */
    const steptree_text* codes; /* this and what follows as of a retry */
    size_t count;
    steptree_decide decide;
    void* data;
    void (*drop)(void* data);
    steptree_budget* budget;
} steptree_hedge_options;

/* Exactly one of collection, source and channel. */
typedef struct steptree_map_options {
    uint32_t size;
    uint32_t flags;                   /* STEPTREE_UNORDERED */
    uint64_t limit;                   /* items at a time, at least 1 */
    const steptree_value* collection; /* a list, which is copied */
    const steptree_source* source;    /* shared by all runs */
    steptree_channel* channel;
    /* Gets each result, with its number; null: the step's result is a list of the first values. */
    const steptree_error* (*sink)(const steptree_args* result, uint64_t number, void* data);
    void* data; /* of sink */
    void (*drop)(void* data);
} steptree_map_options;

typedef struct steptree_define_api {
    uint32_t size;
    uint32_t reserved;

    void (*keep)(const steptree_definition* value);
    void (*drop)(const steptree_definition* value);

    /* A step with that body, and that handler. */
    const steptree_error* (*step)(const steptree_closure* closure,
                                  const steptree_definition** into);
    /* One part after the other; branches side by side. Parts and branches are counted. */
    const steptree_error* (*steps)(const steptree_definition* const* parts, size_t count,
                                   const steptree_definition** into);
    const steptree_error* (*parallel)(const steptree_definition* const* branches, size_t count,
                                      const steptree_definition** into);
    const steptree_error* (*all)(const steptree_definition* const* branches, size_t count,
                                 const steptree_definition** into);
    const steptree_error* (*race)(const steptree_definition* const* branches, size_t count,
                                  const steptree_definition** into);
    const steptree_error* (*any)(const steptree_definition* const* branches, size_t count,
                                 const steptree_definition** into);
    /* As those that are added. Of their closures the body counts, or what stands in its place. */
    const steptree_error* (*repeat_until_break)(const steptree_closure* closure,
                                                steptree_text label,
                                                const steptree_definition** into);
    const steptree_error* (*repeat)(int64_t count, const steptree_closure* closure,
                                    steptree_text label, const steptree_definition** into);
    const steptree_error* (*for_each)(const steptree_value* collection,
                                      const steptree_closure* closure, steptree_text label,
                                      const steptree_definition** into);
    const steptree_error* (*for_each_of)(steptree_channel* channel, const steptree_closure* closure,
                                         steptree_text label, const steptree_definition** into);
    const steptree_error* (*sync)(steptree_guard* guard, const steptree_closure* closure,
                                  const steptree_definition** into);
    const steptree_error* (*sync_key)(steptree_keyed* keyed, steptree_text key,
                                      const steptree_closure* closure,
                                      const steptree_definition** into);
    /* Ends after so long. */
    const steptree_error* (*delay)(double ms, const steptree_definition** into);
    /* What is outside isn't seen inside, for `ms` at most. */
    const steptree_error* (*shield)(double ms, const steptree_closure* closure,
                                    const steptree_definition** into);
    /* The body runs again when it has failed; it gets the number of the attempt last. */
    const steptree_error* (*retry)(const steptree_retry_options* options,
                                   const steptree_closure* closure,
                                   const steptree_definition** into);
    /* The body runs once more when it is slow. */
    const steptree_error* (*hedge)(const steptree_hedge_options* options,
                                   const steptree_closure* closure,
                                   const steptree_definition** into);
    /* The body runs for each item of a source, which it gets with its number. */
    const steptree_error* (*map)(const steptree_map_options* options,
                                 const steptree_closure* closure, const steptree_definition** into);

    /* The same step with a limit (as set_timeout), a handler, a name, bound values. */
    const steptree_error* (*timeout)(const steptree_definition* value, double ms,
                                     steptree_text code, const steptree_definition** into);
    const steptree_error* (*on_error)(const steptree_definition* value,
                                      const steptree_closure* closure,
                                      const steptree_definition** into);
    const steptree_error* (*named)(const steptree_definition* value, steptree_text name,
                                   const steptree_definition** into);
    const steptree_error* (*bound)(const steptree_definition* value, const steptree_value* values,
                                   size_t count, const steptree_definition** into);

    /* A budget, which is owned: `capacity` tokens, of which a success puts back `ratio`. */
    const steptree_error* (*make_budget)(int64_t capacity, double ratio, steptree_budget** into);
    void (*drop_budget)(steptree_budget* budget);
} steptree_define_api;

/* ---- guards ---- */

/* The kinds of guards. */
enum {
    STEPTREE_MUTEX = 1,
    STEPTREE_THROTTLE = 2,
    STEPTREE_LIMITER = 3,
    STEPTREE_RWLOCK = 4,
    STEPTREE_GATE = 5,
    STEPTREE_BARRIER = 6,
    STEPTREE_BREAKER = 7
};

/* The algorithms of a throttle. */
enum { STEPTREE_FIXED = 1, STEPTREE_SLIDING = 2, STEPTREE_BUCKET = 3 };

/* Of all of them. INT64_MAX: no limit. What isn't given has the default of the kind. */
typedef struct steptree_guard_options {
    uint32_t size;
    uint32_t given;
    uint32_t kind;      /* STEPTREE_MUTEX and so on */
    uint32_t flags;     /* STEPTREE_RELEASES, STEPTREE_CLOSED, STEPTREE_ANY_THREAD */
    steptree_text name; /* what errors call it; empty: nothing */
    int64_t max;        /* lines at a time: mutex (1), limiter; entries in a period: throttle */
    int64_t max_queue;  /* lines that may wait (any number) */
    int64_t rate;       /* limiter: entries in a period */
    int64_t period;     /* ms; throttle (1000), limiter, breaker */
    int64_t burst;      /* throttle, limiter */
    int64_t parties;    /* barrier; it has no default, and no bit */
    int64_t calls;      /* breaker: so many are looked at */
    int64_t min_calls;  /* breaker */
    int64_t open_for;   /* breaker: ms (10000) */
    int64_t probes;     /* breaker (1) */
    double share;       /* breaker: the share of failures from which it opens (0.5) */
    uint32_t algorithm; /* throttle: STEPTREE_FIXED and so on */
    uint32_t reserved;  /* 0 */
    /* breaker: which errors are failures; an error of its own goes to `report`; null: the default
     */
    const steptree_error* (*failure)(steptree_text code, const steptree_error* error, int32_t* is,
                                     void* data);
    void* data; /* of failure */
    void (*drop)(void* data);
} steptree_guard_options;

/* What a guard says of itself; -1: it has no such number; INT64_MAX: no limit. */
typedef struct steptree_guard_reading {
    uint32_t size;
    uint32_t state; /* of a breaker: 1 closed, 2 open, 3 half open; else 0 */
    int64_t waiting;
    int64_t active;
    int64_t available;
} steptree_guard_reading;

/* A guard of the program's own. */
typedef struct steptree_custom_guard {
    uint32_t size;
    uint32_t reserved;
    steptree_body lock; /* the body of a step of its own */
    steptree_deferred unlock;
    void* data;
    void (*drop)(void* data);
} steptree_custom_guard;

/* A guard of a key is to be made: sets members of `options`, which has its size, beyond which
 * nothing may be written, and the kind. An error fails the step that wants to lock it. */
typedef const steptree_error* (*steptree_key_options)(steptree_text key,
                                                      steptree_guard_options* options, void* data);

typedef struct steptree_guard_api {
    uint32_t size;
    uint32_t reserved;

    /* `into` is owned. */
    const steptree_error* (*make)(const steptree_guard_options* options, steptree_guard** into);
    const steptree_error* (*make_custom)(const steptree_custom_guard* guard, steptree_guard** into);
    void (*drop)(steptree_guard* guard);
    /* A side of an rwlock, `n` places of a mutex: belong to it. */
    const steptree_error* (*read_side)(steptree_guard* guard, steptree_guard** into);
    const steptree_error* (*write_side)(steptree_guard* guard, steptree_guard** into);
    const steptree_error* (*places)(steptree_guard* guard, int64_t n, steptree_guard** into);

    const steptree_error* (*read)(const steptree_guard* guard, steptree_guard_reading* into);
    /* Of a gate. */
    const steptree_error* (*open)(steptree_guard* guard);
    const steptree_error* (*close)(steptree_guard* guard);
    /* Adds a step that waits at a gate or a barrier. */
    const steptree_error* (*wait)(steptree_guard* guard, steptree_step* asi);

    /* A guard for each key: mutex, throttle, limiter or breaker; `into` is owned. */
    const steptree_error* (*make_keyed)(uint32_t kind, steptree_key_options options, void* data,
                                        void (*drop)(void* data), steptree_keyed** into);
    void (*drop_keyed)(steptree_keyed* keyed);
    /* How many keys have one. */
    const steptree_error* (*keyed_size)(const steptree_keyed* keyed, int64_t* into);
    /* That of a key; `has` 0: there is none. */
    const steptree_error* (*read_key)(const steptree_keyed* keyed, steptree_text key,
                                      steptree_guard_reading* into, int32_t* has);
} steptree_guard_api;

/* ---- channels ---- */

typedef struct steptree_channel_options {
    uint32_t size;
    uint32_t flags;     /* STEPTREE_ANY_THREAD */
    int64_t capacity;   /* values that nobody has received yet, at least 0; INT64_MAX: any number */
    steptree_text name; /* what errors call it; empty: nothing */
} steptree_channel_options;

typedef struct steptree_channel_reading {
    uint32_t size;
    uint32_t closed;
    int64_t values;    /* that nobody has received */
    int64_t available; /* for so many more there is room */
    int64_t senders;   /* steps that wait */
    int64_t receivers;
} steptree_channel_reading;

typedef struct steptree_channel_api {
    uint32_t size;
    uint32_t reserved;

    /* `into` is owned. */
    const steptree_error* (*make)(const steptree_channel_options* options, steptree_channel** into);
    void (*drop)(steptree_channel* channel);
    /* Adds a step that sends the value, or whose result is the next one. Closed: of the step. */
    const steptree_error* (*send)(steptree_channel* channel, steptree_step* asi,
                                  const steptree_value* value);
    const steptree_error* (*receive)(steptree_channel* channel, steptree_step* asi);
    /* If nobody has to wait for that, which `done` says. `into` is owned. */
    const steptree_error* (*try_send)(steptree_channel* channel, const steptree_value* value,
                                      int32_t* done);
    const steptree_error* (*try_receive)(steptree_channel* channel, steptree_value* into,
                                         int32_t* done);
    /* From now on nothing is sent. */
    const steptree_error* (*close)(steptree_channel* channel);
    const steptree_error* (*read)(const steptree_channel* channel, steptree_channel_reading* into);
} steptree_channel_api;

/* ---- signals: any thread ---- */

typedef struct steptree_signal_api {
    uint32_t size;
    uint32_t reserved;

    /* One from outside, which is owned. */
    const steptree_error* (*make)(steptree_signal** into);
    void (*keep)(steptree_signal* signal);
    void (*drop)(steptree_signal* signal);
    /* Of one that was made: 1 the first time. That of a step is the step's: 0. */
    int32_t (*abort)(steptree_signal* signal);
    int32_t (*aborted)(const steptree_signal* signal);
    /* 1: they are one. */
    int32_t (*same)(const steptree_signal* one, const steptree_signal* other);
    /* Calls back when it's aborted, on that thread; aborted already: never. `into` is owned; its
     * drop ends it. */
    const steptree_error* (*listen)(steptree_signal* signal, const steptree_callback* callback,
                                    steptree_handle** into);
} steptree_signal_api;

/* ---- scopes ---- */

/* How many flows were cancelled; of a scope whose tool has gone: -1. */
typedef void (*steptree_counted)(int64_t cancelled, void* data);

typedef struct steptree_scope_api {
    uint32_t size;
    uint32_t reserved;

    /* `options` null: the usual ones; `into` is owned. */
    const steptree_error* (*make)(steptree_tool* tool, const steptree_options* options,
                                  steptree_scope** into);
    /* Destroys its flows; nothing is waited for. */
    void (*drop)(steptree_scope* scope);
    /* As that of a tool. Once it drains or is closed: Closed. */
    const steptree_error* (*start)(steptree_scope* scope, const steptree_definition* value,
                                   const steptree_start_options* options);
    /* Cancels its flows, at once or after so long; `counted` is called when nothing of them is
     * open. */
    const steptree_error* (*close)(steptree_scope* scope, steptree_text reason,
                                   steptree_counted counted, void* data, void (*drop)(void* data));
    const steptree_error* (*drain)(steptree_scope* scope, double ms, steptree_text reason,
                                   steptree_counted counted, void* data, void (*drop)(void* data));
    /* Any thread. */
    int32_t (*draining)(const steptree_scope* scope);
    size_t (*flows)(const steptree_scope* scope); /* that have not ended */
} steptree_scope_api;

/* ---- observing ---- */

/* Something that a flow does; empty: it says nothing of that. */
typedef struct steptree_event {
    uint32_t size;
    uint32_t reserved;
    steptree_text
        what; /* begun, turn, opened, body, returned, handler, cancel, closed, waits, ended */
    int64_t time;
    uint64_t sequence;
    uint64_t flow;
    steptree_text flow_name;
    uint64_t step;
    uint64_t parent;
    steptree_text path;
    steptree_text element;
    steptree_text kind;
    steptree_text outcome;
    steptree_text code;
    const steptree_value* waits; /* a map as in snapshots; null: it's no `waits` */
} steptree_event;

typedef void (*steptree_observer)(const steptree_event* event, void* data);

/* A body holds the tool's thread for `ms` now: of a flow, with the path of its step. On a thread of
 * the watch; may not wait for the tool. */
typedef void (*steptree_stuck)(uint64_t flow, steptree_text flow_name, steptree_text path,
                               int64_t ms, void* data);

/* What is too long, at least 1 ms; not given: nothing is. */
typedef struct steptree_stall_options {
    uint32_t size;
    uint32_t given;       /* of body, wait */
    double body;          /* that a body may take: Stalled, to `report` of its flow */
    double wait;          /* that a line may wait: StalledWait */
    steptree_stuck stuck; /* with `body`; null: a line on standard error */
    void* data;           /* of stuck */
    void (*drop)(void* data);
} steptree_stall_options;

typedef struct steptree_observe_api {
    uint32_t size;
    uint32_t reserved;

    /* Calls the observer with all that flows of the tool do; `bodies` 1: also each body. `into` is
     * owned; its drop ends it. */
    const steptree_error* (*observe)(steptree_tool* tool, steptree_observer observer, void* data,
                                     void (*drop)(void* data), int32_t bodies,
                                     steptree_handle** into);
    /* Has the last events, 1 to 1,048,576 of them; `into` is owned. */
    const steptree_error* (*make_recorder)(steptree_tool* tool, uint64_t events, int32_t bodies,
                                           steptree_recorder** into);
    void (*drop_recorder)(steptree_recorder* recorder);
    /* One line an event; a string, which is owned. */
    const steptree_error* (*text)(const steptree_recorder* recorder, steptree_value* into);
    /* Nothing more is recorded. Any thread. */
    void (*cancel_recorder)(steptree_recorder* recorder);
    /* Its events as JSON of the Trace Event Format, which ui.perfetto.dev shows; a string, which is
     * owned. */
    const steptree_error* (*trace)(const steptree_recorder* recorder, steptree_value* into);
    /* A list of maps as spec/recording.schema.json has it, the oldest first; owned. */
    const steptree_error* (*events)(const steptree_recorder* recorder, steptree_value* into);

    /* Tells `report` of a flow which body has held the thread too long, or which line waits too
     * long. `into` is owned; its drop ends it. */
    const steptree_error* (*watch_stalls)(steptree_tool* tool,
                                          const steptree_stall_options* options,
                                          steptree_handle** into);
} steptree_observe_api;

/* ---- hosts of plug-ins: any thread ----
 * A plug-in gets its host by `start`. That handle is good as long as the plug-in is loaded, and
 * isn't dropped; when the host has gone its calls are refused, but for `service`, whose step fails
 * then. What a plug-in offers by it is its own: offered from when it takes calls until it takes
 * none. Where shared objects aren't of ELF: NotImplemented. */

/* None is needed. */
typedef struct steptree_plugin_host_options {
    uint32_t size;
    uint32_t reserved;
    /* Where copies of files stay until they are unloaded; empty: in the place for temporary files,
     * until they are loaded. */
    steptree_text directory;
} steptree_plugin_host_options;

typedef struct steptree_host_api {
    uint32_t size;
    uint32_t reserved;

    /* `options` null: the usual ones; `into` is owned. What it does later it does from that tool,
     * which has to outlive it. */
    const steptree_error* (*make)(steptree_tool* tool, const steptree_plugin_host_options* options,
                                  steptree_plugin_host** into);
    /* Unloads what nothing is left of; the rest stays in the process for ever. On the tool's
     * thread, or when that doesn't run any more. */
    void (*drop)(steptree_plugin_host* host);
    /* Loads a plug-in, and starts it in the call; one of its name is replaced. PluginRefused: it's
     * none, or doesn't want to; nothing has changed then. `into`: a map as in `list`, which is
     * owned; null: nobody wants it. */
    const steptree_error* (*load)(steptree_plugin_host* host, steptree_text path,
                                  steptree_value* into);
    /* A handler as a step value, which is owned, and looks it up when it runs: NoPlugin, NoHandler,
     * or InternalError for a number of values that it doesn't take. Its name is `plugin.handler`.
     */
    const steptree_error* (*step)(steptree_plugin_host* host, steptree_text plugin,
                                  steptree_text handler, const steptree_definition** into);
    /* From now on it takes no calls. `done`, null or from the tool: nothing of that name is loaded
     * any more, or Canceled if the host goes before. A plug-in's own `done` keeps it loaded. */
    const steptree_error* (*unload)(steptree_plugin_host* host, steptree_text plugin,
                                    const steptree_done* done);
    /* All that is loaded, the oldest first; a list of maps, which is owned: name, version, path,
     * generation, phase (`serves`, `leaves`, `stopped`), handlers (maps: name, description, least,
     * most), and how many of these are held: steps, functions, values, completions. */
    const steptree_error* (*list)(steptree_plugin_host* host, steptree_value* into);
    /* A step value, which is counted, as a service. It takes the place of what is offered by that
     * name, for calls that begin from now on. */
    const steptree_error* (*offer)(steptree_plugin_host* host, steptree_text name,
                                   const steptree_definition* value);
    /* From now on no call of it begins. By a plug-in's handle: of its own. */
    const steptree_error* (*withdraw)(steptree_plugin_host* host, steptree_text name);
    /* A step value, which is owned, and looks the service up when it runs: NoService. It gives it
     * the values before it, and leaves its own; the service's steps are in it, as steps that are
     * added. Its name is the service's. */
    const steptree_error* (*service)(steptree_plugin_host* host, steptree_text name,
                                     const steptree_definition** into);
} steptree_host_api;

/* ---- all of it ---- */

/* Major in the upper 16 bits: what has another one is foreign. Minor in the lower ones. */
#define STEPTREE_ABI UINT32_C(0x00010000)

typedef struct steptree_api {
    uint32_t size;
    uint32_t version;      /* STEPTREE_ABI of the runtime */
    steptree_text release; /* of the runtime, for people: `1.2.3` */
    const steptree_error_api* error;
    const steptree_value_api* value;
    const steptree_add_api* add;
    const steptree_step_api* step;
    const steptree_completion_api* completion;
    const steptree_awaiter_api* awaiter;
    const steptree_canceller_api* canceller;
    const steptree_state_api* state;
    const steptree_flow_api* flow;
    const steptree_tool_api* tool;
    const steptree_handle_api* handle;
    const steptree_define_api* define;
    const steptree_guard_api* guard;
    const steptree_channel_api* channel;
    const steptree_signal_api* signal;
    const steptree_scope_api* scope;
    const steptree_observe_api* observe;
    const steptree_host_api* host;
} steptree_api;

/* The table, for a program that is built with STEPTREE_ABI `version`. Null: it's foreign, and
 * `why`, unless it is null, says so in a sentence that names both. Any thread. */
#if defined(__GNUC__) && !defined(STEPTREE_PLAIN)
__attribute__((visibility("default")))
#endif
const steptree_api*
steptree_host(uint32_t version, const char** why);

/* ---- plug-ins ----
 * A shared object that exports steptree_plugin(). A host, such as PluginHost in C++, looks at what
 * that gives before it calls anything else of it, and hands over the table by `start`. The
 * functions that a plug-in gives to the runtime have to be its own: they keep it from being
 * unloaded. */

/* What a plug-in does when it's called: the body of a step. */
typedef struct steptree_plugin_handler {
    steptree_text name;        /* no other handler of the plug-in has it */
    steptree_text description; /* for people; empty: none */
    uint32_t least;            /* so many values it takes, */
    uint32_t most;             /* at most 4; a call with others fails with InternalError */
    steptree_body body;        /* any thread, several at a time */
    void* data;                /* of the body, the plug-in's own */
} steptree_plugin_handler;

/* What a plug-in says of itself. All of it lives as long as the plug-in is loaded. */
typedef struct steptree_plugin_info {
    uint32_t size; /* sizeof(steptree_plugin_info) */
    uint32_t abi;  /* STEPTREE_ABI: with another major number it is refused */
    steptree_text name;
    steptree_text version; /* for people */
    const steptree_plugin_handler* handlers;
    uint32_t count;
    uint32_t handler_size; /* sizeof(steptree_plugin_handler) */
    /* Called once, before any handler; an error: the plug-in can't be used. `api` and `host` are
     * good as long as the plug-in is loaded. Null: nothing to do. */
    const steptree_error* (*start)(const steptree_api* api, steptree_plugin_host* host, void* data);
    /* Called once, when no step of a handler is open and none will be, on the thread of the host's
     * tool; of who loads it, if the host goes meanwhile. Lets go of all that the plug-in has kept,
     * and ends its threads. Null: nothing to do. */
    void (*stop)(void* data);
    void* data; /* of start and stop, the plug-in's own */
} steptree_plugin_info;

/* Of a plug-in, which defines it: always the same one. It may be called before `start`, and calls
 * nothing of the runtime. */
#if defined(__GNUC__) && !defined(STEPTREE_PLAIN)
__attribute__((visibility("default")))
#endif
const steptree_plugin_info*
steptree_plugin(void);

#ifdef __cplusplus
}
#endif

/* ---- shorthands, for C; left out, with what isn't C99, by STEPTREE_PLAIN, for tools that read
 * this ---- */
#ifndef STEPTREE_PLAIN
/* Whether a table has a member: it may be older than this header. */
#define STEPTREE_HAS(table, member)                                                              \
    ((size_t)((const char*)&(table)->member - (const char*)(table)) + sizeof((table)->member) <= \
     (table)->size)
/* A step or a flow as what steps are added to. */
#define STEPTREE_ADDER(handle) ((steptree_adder*)(handle))
/* The text of a literal. */
#ifdef __cplusplus
#define STEPTREE_TEXT(literal) (steptree_text{"" literal, sizeof(literal) - 1})
#define STEPTREE_NO_TEXT (steptree_text{nullptr, 0})
#else
#define STEPTREE_TEXT(literal) ((steptree_text){"" literal, sizeof(literal) - 1})
#define STEPTREE_NO_TEXT ((steptree_text){NULL, 0})
#endif
/* The text of a literal, to begin a static object with. */
#define STEPTREE_TEXT_INIT(literal) \
    { "" literal, sizeof(literal) - 1 }
#ifndef __cplusplus /* there `steptree/plugin.hpp` has its own */
/* A handler in the array of a plug-in: literals, numbers, a body. */
#define STEPTREE_HANDLER(name, description, least, most, body) \
    { STEPTREE_TEXT_INIT(name), STEPTREE_TEXT_INIT(description), least, most, body, NULL }
/* Defines steptree_plugin(), with an array of handlers; `start` and `stop` may be NULL. No
 * semicolon behind it. */
#define STEPTREE_PLUGIN(name, version, handlers, start, stop)                         \
    const steptree_plugin_info* steptree_plugin(void) {                               \
        static const steptree_plugin_info info = {sizeof info,                        \
                                                  STEPTREE_ABI,                       \
                                                  STEPTREE_TEXT_INIT(name),           \
                                                  STEPTREE_TEXT_INIT(version),        \
                                                  handlers,                           \
                                                  sizeof handlers / sizeof *handlers, \
                                                  sizeof *handlers,                   \
                                                  start,                              \
                                                  stop,                               \
                                                  NULL};                              \
        return &info;                                                                 \
    }
#endif
#endif /* STEPTREE_PLAIN */

#endif /* STEPTREE_STEPTREE_H */
