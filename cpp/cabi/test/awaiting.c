#include "check.h"

/* Completions, and operations that steps await. */

static steptree_completion kept;

static const steptree_error* wait(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    (void)data;
    return api->step->wait_external(asi, &kept);
}

static const steptree_error* tell_text(steptree_step* asi, const steptree_args* args, void* data) {
    char text[64];
    (void)asi;
    CHECK(args->count == 1 && args->values[0].tag == STEPTREE_STRING);
    snprintf(text, sizeof text, "%.*s", (int)args->values[0].of.text.size,
             args->values[0].of.text.data);
    tell(data, text);
    return NULL;
}

static void complete(void* data) {
    const steptree_value value = text_value("done");
    const steptree_completion copy = api->completion->keep(kept);
    CHECK(api->completion->valid(kept) == 1);
    CHECK(api->completion->success(kept, &value, 1) == 1);
    CHECK(api->completion->valid(copy) == 0);
    CHECK(api->completion->error(copy, STEPTREE_TEXT("Late"), STEPTREE_NO_TEXT) == 0);
    api->completion->drop(copy);
    tell(data, "completed");
}

static void completes_a_step_once(void) {
    story of = {"", 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_done done = {&tell_end, NULL, NULL};
    const steptree_closure waits = {&wait, NULL, NULL, NULL, NULL};
    steptree_closure takes = {&tell_text, NULL, NULL, NULL, NULL};
    steptree_callback callback = {&complete, NULL, NULL};
    done.data = takes.data = callback.data = &of;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &waits) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &takes) == NULL);
    CHECK(api->tool->deferred(tool, 5, &callback, NULL) == NULL);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(strcmp(of.told, "completed done ok") == 0);
    api->flow->drop(flow);
    api->tool->drop(tool);
    CHECK(api->completion->valid(kept) == 0);
    api->completion->drop(kept);
}

static const steptree_error* wait_for_ever(steptree_step* asi, const steptree_args* args,
                                           void* data) {
    steptree_completion unused;
    const steptree_error* const error = api->step->wait_external(asi, &unused);
    (void)args;
    tell(data, "waits");
    api->completion->drop(unused);
    return error;
}

static steptree_canceller canceller;

static void cancel_run(void* data) {
    api->canceller->cancel(canceller, STEPTREE_TEXT("late"));
    (void)data;
}

static void cancels_a_run_by_its_canceller(void) {
    story of = {"", 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_done done = {&tell_end, NULL, NULL};
    steptree_closure waits = {&wait_for_ever, NULL, NULL, NULL, NULL};
    const steptree_callback callback = {&cancel_run, NULL, NULL};
    done.data = waits.data = &of;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &waits) == NULL);
    CHECK(api->flow->canceller(flow, &canceller) == NULL);
    CHECK(api->tool->deferred(tool, 5, &callback, NULL) == NULL);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(strcmp(of.told, "waits cancelled") == 0);
    api->flow->drop(flow);
    api->tool->drop(tool);
    const steptree_canceller copy = api->canceller->keep(canceller);
    api->canceller->drop(canceller);
    api->canceller->cancel(copy, STEPTREE_NO_TEXT);
    api->canceller->drop(copy);
}

static steptree_awaiter told;

static void begin(steptree_awaiter awaiter, void* data) {
    told = api->awaiter->keep(awaiter);
    api->awaiter->drop(awaiter);
    tell(data, "begun");
}
static int32_t cancel(void* data) {
    tell(data, "cancelled");
    return 0;
}

static const steptree_error* await_it(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_awaitable operation = {sizeof operation, 0, &begin, &cancel, NULL, &drop_story};
    (void)args;
    operation.data = data;
    CHECK(api->step->set_timeout(asi, 3, STEPTREE_TEXT("TooLong")) == NULL);
    return api->add->await_operation(STEPTREE_ADDER(asi), &operation, NULL);
}

static void fill_awaiting(steptree_adder* to, story* of) {
    steptree_closure closure = {&await_it, NULL, NULL, NULL, NULL};
    closure.data = of;
    CHECK(api->add->step(to, &closure) == NULL);
}

static void cancels_an_operation_that_nobody_awaits(void) {
    story of = {"", 0};
    run_flow(&of, &fill_awaiting);
    CHECK(strcmp(of.told, "begun cancelled error TooLong") == 0);
    CHECK(of.dropped == 1);
    api->awaiter->success(told, NULL, 0);
    api->awaiter->drop(told);
}

void test_awaiting(void) {
    TEST("a completion ends a wait once", completes_a_step_once);
    TEST("a canceller cancels the run that it was taken of", cancels_a_run_by_its_canceller);
    TEST("an operation that nobody awaits is cancelled", cancels_an_operation_that_nobody_awaits);
}
