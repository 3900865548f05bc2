#include <pthread.h>

#include "check.h"

/* What a step knows of where it runs, and refusals. */

static int dropped, calls;
static int own_data;
static void drop_data(void* data) {
    CHECK(data == &own_data);
    ++dropped;
}
static void report(const steptree_error* error, void* data) {
    (void)error, (void)data;
}
static void other_report(const steptree_error* error, void* data) {
    (void)error, (void)data;
}

static void call_back(void* data) {
    ++*(int*)data;
}
static const steptree_error* looks_around(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    const steptree_callback callback = {&call_back, &calls, NULL};
    steptree_tool* tool = NULL;
    (void)args;
    CHECK(api->step->tool(asi, &tool) == NULL);
    CHECK(api->tool->here(tool) == 1 && api->tool->now(tool) == 0);
    CHECK(api->tool->immediate(tool, &callback, NULL) == NULL);
    CHECK(api->tool->run(tool) != NULL);
    api->tool->drop(tool);
    CHECK(api->step->flow_data(asi, &report) == data);
    CHECK(api->step->flow_data(asi, &other_report) == NULL);
    return NULL;
}

static steptree_options options_of(void) {
    steptree_options options = {0};
    options.size = sizeof options;
    options.report = &report;
    options.data = &own_data;
    options.drop = &drop_data;
    return options;
}

static void tells_tool_and_data(void) {
    const steptree_options options = options_of();
    steptree_closure closure = {&looks_around, &own_data, NULL, NULL, NULL};
    steptree_start_options start = {sizeof start, 0, NULL, NULL, &options};
    const steptree_definition* value = NULL;
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    dropped = calls = 0;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->define->step(&closure, &value) == NULL);
    CHECK(api->tool->start(tool, value, &start) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(calls == 1 && dropped == 1);
    api->define->drop(value);
    closure.data = NULL;
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &closure) == NULL);
    CHECK(api->flow->execute(flow, NULL, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(calls == 2);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

static void* is_elsewhere(void* data) {
    CHECK(api->tool->here(data) == 0);
    return NULL;
}
static void tells_the_thread(void) {
    pthread_t thread;
    steptree_tool* tool = NULL;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->tool->here(tool) == 1);
    CHECK(pthread_create(&thread, NULL, &is_elsewhere, tool) == 0);
    pthread_join(thread, NULL);
    api->tool->drop(tool);
}

static void makes_refusals(void) {
    const steptree_error* error =
        api->error->make_refusal(STEPTREE_NO_TEXT, STEPTREE_TEXT("db"), STEPTREE_TEXT("full"), 30);
    CHECK(is(api->error->code(error), "DefenseRejected"));
    CHECK(is(api->error->info(error), "guard 'db': full"));
    CHECK(api->error->refused(error) == 1 && is(api->error->guard(error), "db"));
    CHECK(api->error->retry_after(error) == 30);
    error = api->error->make_refusal(STEPTREE_TEXT("Closed"), STEPTREE_NO_TEXT,
                                     STEPTREE_TEXT("it is closed"), -7);
    CHECK(is(api->error->code(error), "Closed"));
    CHECK(is(api->error->info(error), "guard: it is closed"));
    CHECK(api->error->refused(error) == 1 && is(api->error->guard(error), ""));
    CHECK(api->error->retry_after(error) == -1);
}

void test_knows(void) {
    TEST("a step tells its tool, and the data of its flow", tells_tool_and_data);
    TEST("a tool tells whether this is its thread", tells_the_thread);
    TEST("a program makes refusals", makes_refusals);
}
