#include <pthread.h>

#include "check.h"

/* A tool with a thread of its own, and what other threads do to its steps. */

typedef struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    steptree_completion completion;
    int waits, ended;
    int64_t got;
} meeting;

static void set(meeting* of, int* flag) {
    pthread_mutex_lock(&of->mutex);
    *flag = 1;
    pthread_cond_broadcast(&of->changed);
    pthread_mutex_unlock(&of->mutex);
}

static void wait_for(meeting* of, const int* flag) {
    pthread_mutex_lock(&of->mutex);
    while (!*flag) pthread_cond_wait(&of->changed, &of->mutex);
    pthread_mutex_unlock(&of->mutex);
}

static const steptree_error* wait_outside(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    meeting* const of = data;
    const steptree_error* const error = api->step->wait_external(asi, &of->completion);
    (void)args;
    set(of, &of->waits);
    return error;
}

static const steptree_error* take(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    ((meeting*)data)->got = args->values[0].of.integer;
    return NULL;
}

static void tell_ended(const steptree_outcome* outcome, void* data) {
    CHECK(outcome->kind == STEPTREE_OK);
    (void)outcome;
    (void)data;
}

static void tell_closed(void* data) {
    set(data, &((meeting*)data)->ended);
}

static void completes_from_another_thread(void) {
    const steptree_value seven = int_value(7);
    meeting of = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL, 0}, 0, 0, 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_closure waits = {&wait_outside, NULL, NULL, NULL, NULL};
    steptree_closure takes = {&take, NULL, NULL, NULL, NULL};
    const steptree_done done = {&tell_ended, NULL, NULL};
    steptree_callback closed = {&tell_closed, NULL, NULL};
    waits.data = takes.data = closed.data = &of;
    CHECK(api->tool->make_threaded(&tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &waits) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &takes) == NULL);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    wait_for(&of, &of.waits);
    CHECK(api->flow->closed(flow, &closed) == NULL);
    CHECK(api->completion->success(of.completion, &seven, 1) == 1);
    wait_for(&of, &of.ended);
    CHECK(of.got == 7);
    api->flow->drop(flow);
    api->tool->drop(tool);
    CHECK(api->completion->valid(of.completion) == 0);
    CHECK(api->completion->success(of.completion, &seven, 1) == 0);
    api->completion->drop(of.completion);
}

static void refuses_calls_from_another_thread(void) {
    meeting of = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL, 0}, 0, 0, 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    double number = 0;
    steptree_closure waits = {&wait_outside, NULL, NULL, NULL, NULL};
    const steptree_done none = {NULL, NULL, NULL};
    waits.data = &of;
    CHECK(api->tool->make_threaded(&tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &waits) == NULL);
    CHECK(api->flow->execute(flow, &none, NULL) == NULL);
    wait_for(&of, &of.waits);
    const steptree_error* const error = api->tool->random(tool, &number);
    CHECK(error != NULL && is(api->error->code(error), "InternalError"));
    CHECK(api->flow->cancel(flow, STEPTREE_NO_TEXT) == NULL);
    api->completion->drop(of.completion);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

static void note_code(const steptree_outcome* outcome, void* data) {
    tell(data, outcome->kind == STEPTREE_ERROR ? "error" : "ok");
}

static const steptree_error* do_nothing(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)args;
    (void)data;
    return NULL;
}

/* A flow of a tool of its own that enters the guard; the tool stays. */
static void enter_from(steptree_tool** tool, steptree_guard* guard, story* told) {
    meeting of = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL, 0}, 0, 0, 0};
    steptree_flow* flow = NULL;
    const steptree_closure section = {&do_nothing, NULL, NULL, NULL, NULL};
    const steptree_done done = {&note_code, told, NULL};
    const steptree_callback closed = {&tell_closed, &of, NULL};
    CHECK(api->tool->make_threaded(tool) == NULL);
    CHECK(api->flow->make(*tool, NULL, &flow) == NULL);
    CHECK(api->add->sync(STEPTREE_ADDER(flow), guard, &section) == NULL);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    CHECK(api->flow->closed(flow, &closed) == NULL);
    wait_for(&of, &of.ended);
    api->flow->drop(flow);
}

static void enter_from_two(uint32_t flags, const char* wanted) {
    story told = {"", 0};
    steptree_tool *one = NULL, *other = NULL;
    steptree_guard* guard = NULL;
    steptree_guard_options options = {0};
    options.size = sizeof options;
    options.kind = STEPTREE_MUTEX;
    options.flags = flags;
    CHECK(api->guard->make(&options, &guard) == NULL);
    enter_from(&one, guard, &told);
    enter_from(&other, guard, &told);
    CHECK(strcmp(told.told, wanted) == 0);
    api->tool->drop(one);
    api->tool->drop(other);
    api->guard->drop(guard);
}

static void lets_flows_of_any_thread_in(void) {
    enter_from_two(0, "ok error");
    enter_from_two(STEPTREE_ANY_THREAD, "ok ok");
}

void test_threads(void) {
    TEST("a completion is used on another thread, and when its tool is gone",
         completes_from_another_thread);
    TEST("what belongs to the tool's thread is refused on another one",
         refuses_calls_from_another_thread);
    TEST("a guard for flows of any threads is one for two tools, another isn't",
         lets_flows_of_any_thread_in);
}
