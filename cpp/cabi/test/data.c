#include "check.h"

/* Data is dropped once, whatever becomes of what it was given with. */

static const steptree_error* nothing(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)args;
    (void)data;
    return NULL;
}
static const steptree_error* handle(steptree_step* asi, steptree_text code, void* data) {
    (void)asi;
    (void)code;
    (void)data;
    return NULL;
}

static void fill_with_data(steptree_adder* to, story* of) {
    steptree_closure closure = {&nothing, NULL, &drop_story, NULL, NULL};
    closure.data = of;
    CHECK(api->add->step(to, &closure) == NULL);
    CHECK(api->add->repeat(to, 2, &closure, STEPTREE_NO_TEXT) == NULL);
    closure.onerror = &handle;
    CHECK(api->add->step(to, &closure) == NULL);
}

static void is_dropped_when_the_steps_are_gone(void) {
    story of = {"", 0};
    run_flow(&of, &fill_with_data);
    CHECK(of.dropped == 3);
}

static void is_dropped_with_steps_that_never_run(void) {
    story of = {"", 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    fill_with_data(STEPTREE_ADDER(flow), &of);
    CHECK(of.dropped == 0);
    api->flow->drop(flow);
    CHECK(of.dropped == 3);
    api->tool->drop(tool);
}

static void is_dropped_if_the_call_fails(void) {
    story of = {"", 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_closure closure = {&nothing, NULL, &drop_story, &handle, NULL};
    steptree_callback callback = {NULL, NULL, &drop_story};
    closure.data = callback.data = &of;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->flow->execute(flow, NULL, NULL) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &closure) != NULL);
    CHECK(of.dropped == 1);
    CHECK(api->add->repeat_until_break(STEPTREE_ADDER(flow), &closure, STEPTREE_NO_TEXT) != NULL);
    CHECK(of.dropped == 2);
    CHECK(api->tool->deferred(tool, -1, &callback, NULL) != NULL);
    CHECK(of.dropped == 3);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

static void is_shared_by_all_runs_of_a_value(void) {
    story of = {"", 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    const steptree_definition *value = NULL, *named = NULL;
    steptree_closure closure = {&nothing, NULL, &drop_story, &handle, NULL};
    closure.data = &of;
    CHECK(api->define->step(&closure, &value) == NULL);
    CHECK(api->define->named(value, STEPTREE_TEXT("twice"), &named) == NULL);
    api->define->drop(value);
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->value(STEPTREE_ADDER(flow), named, NULL, STEPTREE_NO_TEXT) == NULL);
    CHECK(api->add->value(STEPTREE_ADDER(flow), named, NULL, STEPTREE_NO_TEXT) == NULL);
    api->define->drop(named);
    CHECK(of.dropped == 0);
    CHECK(api->flow->execute(flow, NULL, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(of.dropped == 1);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

void test_data(void) {
    TEST("data is dropped once when the steps are gone", is_dropped_when_the_steps_are_gone);
    TEST("data is dropped with steps that never run", is_dropped_with_steps_that_never_run);
    TEST("data is dropped if the call fails", is_dropped_if_the_call_fails);
    TEST("data is shared by all runs of a value, and dropped with the last one",
         is_shared_by_all_runs_of_a_value);
}
