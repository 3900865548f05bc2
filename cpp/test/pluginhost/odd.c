/* A plug-in that does what plug-ins shouldn't, or seldom do. */
#include <pthread.h>
#include <unistd.h>

#include "steptree/steptree.h"

static const steptree_api* api;

/* Waits for ever. */
static const steptree_error* waits(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_completion completion;
    const steptree_error* const error = api->step->wait_external(asi, &completion);
    (void)args;
    (void)data;
    if (error == NULL) api->completion->drop(completion);
    return error;
}

/* Keeps a copy of its completion, until the next call of `lets_go`. */
static steptree_completion kept;

static const steptree_error* keeps(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_completion completion;
    const steptree_error* const error = api->step->wait_external(asi, &completion);
    (void)args;
    (void)data;
    if (error != NULL) return error;
    kept = api->completion->keep(completion);
    api->completion->drop(completion);
    return NULL;
}

/* Its threads end their waits when a byte can be read from the pipe. */
enum { kThreads = 4 };
typedef struct waiter {
    pthread_t thread;
    int pipe;
    int runs;
    steptree_completion completion;
} waiter;
static waiter waiters[kThreads];

static void* end_late(void* data) {
    waiter* const of = data;
    char byte;
    if (read(of->pipe, &byte, 1) == 1) api->completion->success(of->completion, NULL, 0);
    api->completion->drop(of->completion);
    return NULL;
}

static const steptree_error* is_late(steptree_step* asi, const steptree_args* args, void* data) {
    waiter* of = waiters;
    (void)data;
    while (of->runs) ++of;
    const steptree_error* const error = api->step->wait_external(asi, &of->completion);
    if (error != NULL) return error;
    of->pipe = (int)args->values[0].of.integer;
    of->runs = pthread_create(&of->thread, NULL, &end_late, of) == 0;
    return NULL;
}

/* Gives a value that only it can drop. */
static void drop_own(void* pointer) {
    ++*(int*)pointer;
}
static const steptree_kind own_kind = {sizeof own_kind, 0, STEPTREE_TEXT_INIT("own"), &drop_own};

static const steptree_error* gives_own(steptree_step* asi, const steptree_args* args, void* data) {
    static int dropped;
    steptree_value value = {0};
    (void)args;
    (void)data;
    value.tag = STEPTREE_OPAQUE;
    value.of.opaque.pointer = &dropped;
    value.of.opaque.kind = &own_kind;
    return api->step->success(asi, &value, 1);
}

/* Awaits what never ends. */
static steptree_awaiter awaiter;

static void subscribe(steptree_awaiter given, void* data) {
    (void)data;
    awaiter = given;
}
static const steptree_error* awaits(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_awaitable awaitable = {sizeof awaitable, 0, &subscribe, NULL, NULL, NULL};
    (void)args;
    (void)data;
    return api->add->await_operation(STEPTREE_ADDER(asi), &awaitable, NULL);
}

/* Makes a step value, and keeps it until it is stopped. */
static const steptree_definition* defined;

static const steptree_error* defines(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure closure = {&waits, NULL, NULL, NULL, NULL};
    (void)asi;
    (void)args;
    (void)data;
    return api->define->step(&closure, &defined);
}

/* Cleans up with a step that takes 10 ms, however it ends. */
static const steptree_error* clean_up(steptree_step* asi, const steptree_outcome* outcome,
                                      void* data) {
    const steptree_definition* delay = NULL;
    const steptree_error* error = api->define->delay(10, &delay);
    (void)outcome;
    (void)data;
    if (error != NULL) return error;
    error = api->add->value(STEPTREE_ADDER(asi), delay, NULL, STEPTREE_NO_TEXT);
    api->define->drop(delay);
    return error;
}
static const steptree_error* cleans_up(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_error* const error = api->step->defer(asi, &clean_up, NULL, NULL);
    return error == NULL ? waits(asi, args, data) : error;
}

static const steptree_error* fails(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)args;
    (void)data;
    return api->error->make(STEPTREE_TEXT("Odd"), STEPTREE_TEXT("as ever"), NULL);
}

static const steptree_error* lets_go(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)args;
    (void)data;
    api->completion->drop(kept);
    kept.slot = NULL;
    return NULL;
}

static const steptree_error* start(const steptree_api* given, steptree_plugin_host* host,
                                   void* data) {
    (void)host;
    (void)data;
    api = given;
#ifdef DOES_NOT_START
    return api->error->make(STEPTREE_TEXT("ENOENT"), STEPTREE_TEXT("no licence"), NULL);
#else
    return NULL;
#endif
}

static void stop(void* data) {
    int i;
    (void)data;
    for (i = 0; i < kThreads && waiters[i].runs; ++i) pthread_join(waiters[i].thread, NULL);
    api->define->drop(defined);
    if (awaiter.slot != NULL) api->awaiter->drop(awaiter);
}

const steptree_plugin_info* steptree_plugin(void) {
    static const steptree_plugin_handler handlers[] = {
        STEPTREE_HANDLER("waits", "", 0, 0, &waits),
        STEPTREE_HANDLER("keeps", "", 0, 0, &keeps),
        STEPTREE_HANDLER("letsGo", "", 0, 0, &lets_go),
        STEPTREE_HANDLER("isLate", "", 1, 1, &is_late),
        STEPTREE_HANDLER("givesOwn", "", 0, 0, &gives_own),
        STEPTREE_HANDLER("awaits", "", 0, 0, &awaits),
        STEPTREE_HANDLER("defines", "", 0, 0, &defines),
        STEPTREE_HANDLER("cleansUp", "", 0, 0, &cleans_up),
        STEPTREE_HANDLER("fails", "", 0, 0, &fails),
#ifdef HAS_ONE_TWICE
        STEPTREE_HANDLER("fails", "", 0, 0, &fails),
#endif
#ifdef TAKES_TOO_MANY
        STEPTREE_HANDLER("takes", "", 3, 5, &fails),
#endif
#ifdef HAS_NO_BODY
        STEPTREE_HANDLER("lacks", "", 0, 0, NULL),
#endif
    };
    static const steptree_plugin_info info = {
#ifdef IS_SHORT
        sizeof info - 8,
#else
        sizeof info,
#endif
#ifdef OF_ANOTHER_ABI
        STEPTREE_ABI + 0x10000,
#else
        STEPTREE_ABI + 1, /* newer than its host */
#endif
#ifdef HAS_NO_NAME
        STEPTREE_TEXT_INIT(""),
#else
        STEPTREE_TEXT_INIT("odd"),
#endif
        STEPTREE_TEXT_INIT("0.1"),
        handlers,
        sizeof handlers / sizeof handlers[0],
        sizeof handlers[0],
        &start,
        &stop,
        NULL};
#ifdef SAYS_NOTHING
    return NULL;
#else
    return &info;
#endif
}
