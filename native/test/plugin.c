/* What the tests of the addon call. */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "steptree/steptree.h"

static const steptree_api* api;

/* What has been seen: closed by a cancel, by any way, data that was dropped. */
static atomic_int cancels, cleanups, drops;

static steptree_value integer(int64_t number) {
    steptree_value value = {STEPTREE_INT64, 0, {0}, NULL};
    value.of.integer = number;
    return value;
}

/* Leaves what it got. */
static const steptree_error* echo(steptree_step* asi, const steptree_args* args, void* data) {
    (void)data;
    return api->step->success(asi, args->values, args->count);
}

/* So many steps, one after the other. */
static const steptree_error* nothing(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi, (void)args, (void)data;
    return NULL;
}
static const steptree_error* chain(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&nothing, NULL, NULL, NULL, NULL};
    (void)data;
    for (int64_t i = 0; i < args->values[0].of.integer; ++i) {
        const steptree_error* error = api->add->step(STEPTREE_ADDER(asi), &closure);
        if (error != NULL) return error;
    }
    return NULL;
}

/* Fails two steps below: with a cause, and the code that it got. */
static const steptree_error* innermost(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_error* cause = api->error->of_system(111, STEPTREE_TEXT("connect"), NULL);
    const steptree_error* error;
    (void)args, (void)data;
    api->error->keep(cause);
    error = api->step->error_of(asi, STEPTREE_TEXT("NotFound"), STEPTREE_TEXT("no Ada"), cause);
    api->error->drop(cause);
    return error;
}
static const steptree_error* outer(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&innermost, NULL, NULL, NULL, NULL};
    (void)args, (void)data;
    return api->add->named_step(STEPTREE_ADDER(asi), &closure, STEPTREE_TEXT("inner"));
}
static const steptree_error* fail(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&outer, NULL, NULL, NULL, NULL};
    (void)args, (void)data;
    return api->add->named_step(STEPTREE_ADDER(asi), &closure, STEPTREE_TEXT("outer"));
}

/* Ends after so many ms. */
static const steptree_error* delayed(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_definition* delay;
    const steptree_error* error = api->define->delay((double)args->values[0].of.integer, &delay);
    const steptree_closure closure = {NULL, NULL, NULL, NULL, NULL};
    (void)data;
    if (error != NULL) return error;
    error = api->add->value(STEPTREE_ADDER(asi), delay, &closure, STEPTREE_TEXT("rest"));
    api->define->drop(delay);
    return error;
}

/* Waits for ever; counts how it ends. */
static const steptree_error* cancelled(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi, (void)args, (void)data;
    ++cancels;
    return NULL;
}
static const steptree_error* wait_forever(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    (void)args, (void)data;
    return api->step->set_cancel(asi, &cancelled, NULL, NULL);
}
static const steptree_error* forever(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&wait_forever, NULL, NULL, NULL, NULL};
    (void)args, (void)data;
    return api->add->named_step(STEPTREE_ADDER(asi), &closure, STEPTREE_TEXT("waits"));
}

/* The same, with a cleanup that takes so many ms. */
static const steptree_error* clean(steptree_step* asi, const steptree_outcome* outcome,
                                   void* data) {
    const steptree_definition* delay;
    const steptree_closure closure = {NULL, NULL, NULL, NULL, NULL};
    const steptree_error* error = api->define->delay((double)(intptr_t)data, &delay);
    (void)outcome;
    if (error != NULL) return error;
    error = api->add->value(STEPTREE_ADDER(asi), delay, &closure, STEPTREE_NO_TEXT);
    api->define->drop(delay);
    return error;
}
static void cleaned(void* data) {
    (void)data;
    ++cleanups;
}
static const steptree_error* cleans(steptree_step* asi, const steptree_args* args, void* data) {
    void* ms = (void*)(intptr_t)args->values[0].of.integer;
    const steptree_error* error = api->step->defer(asi, &clean, ms, &cleaned);
    if (error != NULL) return error;
    return forever(asi, args, data);
}

/* What is left of the deadline. */
static const steptree_error* remaining(steptree_step* asi, const steptree_args* args, void* data) {
    int64_t ms;
    const steptree_error* error = api->step->remaining(asi, &ms);
    steptree_value value;
    (void)args, (void)data;
    if (error != NULL) return error;
    value = integer(ms);
    return api->step->success(asi, &value, 1);
}

/* A thread answers, with the value that came. */
typedef struct answer {
    steptree_completion completion;
    steptree_value value;
    struct answer* next;
} answer;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static answer* asked;
static int ends;
static pthread_t thread;

static answer* next_asked(void) {
    answer* of;
    pthread_mutex_lock(&mutex);
    while (asked == NULL && !ends) pthread_cond_wait(&changed, &mutex);
    of = asked;
    if (of != NULL) asked = of->next;
    pthread_mutex_unlock(&mutex);
    return of;
}
static void* answers(void* data) {
    answer* of;
    while ((of = next_asked()) != NULL) {
        api->completion->success(of->completion, &of->value, 1);
        api->completion->drop(of->completion);
        api->value->drop(&of->value);
        free(of);
    }
    return data;
}
static const steptree_error* threaded(steptree_step* asi, const steptree_args* args, void* data) {
    answer* of = malloc(sizeof *of);
    const steptree_error* error = api->value->keep(&args->values[0], &of->value);
    (void)data;
    if (error == NULL) error = api->step->wait_external(asi, &of->completion);
    if (error != NULL) return error;
    pthread_mutex_lock(&mutex);
    of->next = asked;
    asked = of;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Keeps a value, and gives it back later. */
static steptree_value kept;
static const steptree_error* keep(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi, (void)data;
    api->value->drop(&kept);
    return api->value->keep(&args->values[0], &kept);
}
static const steptree_error* kept_one(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args, (void)data;
    return api->step->success(asi, &kept, 1);
}
static const steptree_error* let_go(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi, (void)args, (void)data;
    api->value->drop(&kept);
    return NULL;
}

/* The address of bytes, their number and their sum. */
static const steptree_error* look(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_text bytes = args->values[0].of.text;
    steptree_value values[3];
    int64_t sum = 0;
    (void)data;
    for (size_t i = 0; i < bytes.size; ++i) sum += (unsigned char)bytes.data[i];
    values[0] = integer((int64_t)(intptr_t)bytes.data);
    values[1] = integer((int64_t)bytes.size);
    values[2] = integer(sum);
    return api->step->success(asi, values, 3);
}

/* Something that JavaScript can only give back. */
static void dropped(void* pointer) {
    (void)pointer;
    ++drops;
}
static const steptree_kind thing = {sizeof thing, 0, {"thing", 5}, &dropped};
static const steptree_error* make_thing(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value value = {STEPTREE_OPAQUE, 0, {0}, NULL};
    (void)args, (void)data;
    value.of.opaque.pointer = (void*)42;
    value.of.opaque.kind = &thing;
    return api->step->success(asi, &value, 1);
}
static const steptree_error* use_thing(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_value* given = &args->values[0];
    steptree_value value;
    (void)data;
    if (given->tag != STEPTREE_OPAQUE || given->of.opaque.kind != &thing)
        return api->step->error(asi, STEPTREE_TEXT("NoThing"), STEPTREE_NO_TEXT);
    value = integer((int64_t)(intptr_t)given->of.opaque.pointer);
    return api->step->success(asi, &value, 1);
}

/* Calls a service of its host, with the other values. */
static steptree_plugin_host* own_host;
static const steptree_error* ask(steptree_step* asi, const steptree_args* args, void* data) {
    (void)data;
    return api->add->service(STEPTREE_ADDER(asi), own_host, args->values[0].of.text,
                             args->values + 1, args->count - 1, NULL);
}
/* The same, and leaves the code and the info of its error. */
static const steptree_error* handled(steptree_step* asi, steptree_text code, void* data) {
    steptree_value values[2] = {{STEPTREE_STRING, 0, {0}, NULL}, {STEPTREE_STRING, 0, {0}, NULL}};
    (void)data;
    values[0].of.text = code;
    values[1].of.text = api->error->info(api->step->last_error(asi));
    return api->step->success(asi, values, 2);
}
static const steptree_error* asks(steptree_step* asi, const steptree_args* args, void* data) {
    return ask(asi, args, data);
}
static const steptree_error* careful(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&asks, NULL, NULL, &handled, NULL};
    const steptree_error* error = api->add->success(STEPTREE_ADDER(asi), args->values, args->count);
    (void)data;
    return error != NULL ? error : api->add->step(STEPTREE_ADDER(asi), &closure);
}

/* The same: code, info and foreign of each of its causes. */
static const steptree_error* caused(steptree_step* asi, steptree_text code, void* data) {
    steptree_value values[4] = {{STEPTREE_NOTHING, 0, {0}, NULL}};
    const steptree_error* at = api->step->last_error(asi);
    size_t count = 0;
    (void)code, (void)data;
    while ((at = api->error->cause(at)) != NULL && count < 4) {
        values[count].tag = STEPTREE_STRING;
        values[count++].of.text = api->error->code(at);
        values[count].tag = STEPTREE_STRING;
        values[count++].of.text = api->error->info(at);
    }
    return api->step->success(asi, values, count);
}
static const steptree_error* causes(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&asks, NULL, NULL, &caused, NULL};
    const steptree_error* error = api->add->success(STEPTREE_ADDER(asi), args->values, args->count);
    (void)data;
    return error != NULL ? error : api->add->step(STEPTREE_ADDER(asi), &closure);
}
/* The same, and fails with an error of its own. */
static const steptree_error* wrapped(steptree_step* asi, steptree_text code, void* data) {
    (void)code, (void)data;
    return api->error->make(STEPTREE_TEXT("Wrapped"), STEPTREE_TEXT("by C"),
                            api->step->last_error(asi));
}
static const steptree_error* wraps(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&asks, NULL, NULL, &wrapped, NULL};
    const steptree_error* error = api->add->success(STEPTREE_ADDER(asi), args->values, args->count);
    (void)data;
    return error != NULL ? error : api->add->step(STEPTREE_ADDER(asi), &closure);
}

/* Holds the loop for so many ms, one step below. */
static const steptree_error* hold(steptree_step* asi, const steptree_args* args, void* data) {
    struct timespec now, until;
    (void)asi, (void)args;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (intptr_t)data * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < until.tv_sec ||
           (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec));
    return NULL;
}
static const steptree_error* holds(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&hold, (void*)(intptr_t)args->values[0].of.integer, NULL,
                                      NULL, NULL};
    (void)data;
    return api->add->named_step(STEPTREE_ADDER(asi), &closure, STEPTREE_TEXT("busy"));
}

/* Waits for ever; its cancel handler fails. */
static const steptree_error* spoils_cancel(steptree_step* asi, const steptree_args* args,
                                           void* data) {
    (void)asi, (void)args, (void)data;
    return api->error->make(STEPTREE_TEXT("Spoiled"), STEPTREE_TEXT("by C"), NULL);
}
static const steptree_error* spoils(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args, (void)data;
    return api->step->set_cancel(asi, &spoils_cancel, NULL, NULL);
}

/* The service again, in a flow that nobody waits for. */
static void drop_flow(const steptree_outcome* outcome, void* data) {
    (void)outcome;
    api->flow->drop(data);
}
static const steptree_error* alone(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_text service = args->values[0].of.text;
    steptree_flow* flow = NULL;
    steptree_done done = {&drop_flow, NULL, NULL};
    const steptree_error* error = api->step->new_instance(asi, &flow);
    (void)data;
    if (error != NULL) return error;
    done.data = flow;
    error = api->add->service(STEPTREE_ADDER(flow), own_host, service, NULL, 0, NULL);
    if (error == NULL) error = api->flow->execute(flow, &done, NULL);
    if (error != NULL) api->flow->drop(flow);
    return error;
}

/* What it has seen. */
static const steptree_error* seen(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value values[3];
    (void)args, (void)data;
    values[0] = integer(cancels);
    values[1] = integer(cleanups);
    values[2] = integer(drops);
    return api->step->success(asi, values, 3);
}

/* Bytes that malloc has given in this process. */
static const steptree_error* allocated(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_value value = integer((int64_t)mallinfo2().uordblks);
    (void)args, (void)data;
    return api->step->success(asi, &value, 1);
}

static const steptree_plugin_handler handlers[] = {
    STEPTREE_HANDLER("echo", "leaves what it got", 0, 4, &echo),
    STEPTREE_HANDLER("chain", "", 1, 1, &chain),
    STEPTREE_HANDLER("fail", "", 0, 0, &fail),
    STEPTREE_HANDLER("delay", "", 1, 1, &delayed),
    STEPTREE_HANDLER("forever", "", 0, 0, &forever),
    STEPTREE_HANDLER("cleans", "", 1, 1, &cleans),
    STEPTREE_HANDLER("remaining", "", 0, 0, &remaining),
    STEPTREE_HANDLER("threaded", "", 1, 1, &threaded),
    STEPTREE_HANDLER("keep", "", 1, 1, &keep),
    STEPTREE_HANDLER("kept", "", 0, 0, &kept_one),
    STEPTREE_HANDLER("letGo", "", 0, 0, &let_go),
    STEPTREE_HANDLER("look", "", 1, 1, &look),
    STEPTREE_HANDLER("makeThing", "", 0, 0, &make_thing),
    STEPTREE_HANDLER("useThing", "", 1, 1, &use_thing),
    STEPTREE_HANDLER("allocated", "", 0, 0, &allocated),
    STEPTREE_HANDLER("ask", "", 1, 4, &ask),
    STEPTREE_HANDLER("careful", "", 1, 4, &careful),
    STEPTREE_HANDLER("causes", "", 1, 4, &causes),
    STEPTREE_HANDLER("wraps", "", 1, 4, &wraps),
    STEPTREE_HANDLER("alone", "", 1, 1, &alone),
    STEPTREE_HANDLER("holds", "", 1, 1, &holds),
    STEPTREE_HANDLER("spoils", "", 0, 0, &spoils),
    STEPTREE_HANDLER("seen", "", 0, 0, &seen),
};

static const steptree_error* start(const steptree_api* given, steptree_plugin_host* host,
                                   void* data) {
    (void)data;
    own_host = host;
    api = given;
    pthread_create(&thread, NULL, &answers, NULL);
    return NULL;
}
static void stop(void* data) {
    (void)data;
    pthread_mutex_lock(&mutex);
    ends = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    api->value->drop(&kept);
}

STEPTREE_PLUGIN("tried", "1.0", handlers, &start, &stop)
