#include "check.h"

/* Steps, loops, branches, deadlines and cancels. */

static const steptree_error* tell_number(steptree_step* asi, const steptree_args* args,
                                         void* data) {
    char number[32];
    (void)asi;
    snprintf(number, sizeof number, "%d", (int)args->values[0].of.integer);
    tell(data, number);
    return NULL;
}

static const steptree_error* give_seven(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_value seven = int_value(7);
    (void)args;
    (void)data;
    return api->step->success(asi, &seven, 1);
}

static const steptree_error* add_inside(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure gives = {&give_seven, NULL, NULL, NULL, NULL};
    steptree_closure takes = {&tell_number, NULL, NULL, NULL, NULL};
    (void)args;
    takes.data = data;
    CHECK(api->add->step(STEPTREE_ADDER(asi), &gives) == NULL);
    return api->add->step(STEPTREE_ADDER(asi), &takes);
}

static void fill_values(steptree_adder* to, story* of) {
    steptree_closure outer = {&add_inside, NULL, NULL, NULL, NULL};
    outer.data = of;
    CHECK(api->add->named_step(to, &outer, STEPTREE_TEXT("outer")) == NULL);
}

static void gives_values_from_step_to_step(void) {
    story of = {"", 0};
    run_flow(&of, &fill_values);
    CHECK(strcmp(of.told, "7 ok") == 0);
}

static const steptree_error* leave_at_two(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    tell_number(asi, args, data);
    if (args->values[0].of.integer < 2) return NULL;
    return api->step->break_loop(asi, STEPTREE_NO_TEXT);
}

static void fill_loop(steptree_adder* to, story* of) {
    steptree_closure round = {&leave_at_two, NULL, NULL, NULL, NULL};
    round.data = of;
    CHECK(api->add->repeat(to, 9, &round, STEPTREE_NO_TEXT) == NULL);
}

static void leaves_a_loop(void) {
    story of = {"", 0};
    run_flow(&of, &fill_loop);
    CHECK(strcmp(of.told, "0 1 2 ok") == 0);
}

static const steptree_error* tell_cancel(steptree_step* asi, const steptree_args* args,
                                         void* data) {
    (void)asi;
    (void)args;
    tell(data, "cancel");
    return NULL;
}

static const steptree_error* tell_outcome(steptree_step* asi, const steptree_outcome* outcome,
                                          void* data) {
    (void)asi;
    tell(data, outcome->kind == STEPTREE_CANCELLED ? "left" : "ended");
    return NULL;
}

static const steptree_error* wait_long(steptree_step* asi, const steptree_args* args, void* data) {
    int64_t left = 0;
    (void)args;
    CHECK(api->step->set_timeout(asi, 20, STEPTREE_NO_TEXT) == NULL);
    CHECK(api->step->set_cancel(asi, &tell_cancel, data, NULL) == NULL);
    CHECK(api->step->defer(asi, &tell_outcome, data, NULL) == NULL);
    CHECK(api->step->remaining(asi, &left) == NULL);
    CHECK(left == 20);
    CHECK(api->step->valid(asi) == 1);
    return NULL;
}

static const steptree_error* recover(steptree_step* asi, steptree_text code, void* data) {
    CHECK(is(code, "Timeout"));
    tell(data, "caught");
    return api->step->success(asi, NULL, 0);
}

static void fill_timeout(steptree_adder* to, story* of) {
    steptree_closure closure = {&wait_long, NULL, &drop_story, &recover, NULL};
    closure.data = of;
    CHECK(api->add->step(to, &closure) == NULL);
}

static void closes_a_step_that_is_late(void) {
    story of = {"", 0};
    run_flow(&of, &fill_timeout);
    CHECK(strcmp(of.told, "cancel caught ended ok") == 0);
    CHECK(of.dropped == 1);
}

static const steptree_error* tell_branch(steptree_step* asi, const steptree_args* args,
                                         void* data) {
    (void)asi;
    CHECK(args->count == 0);
    tell(data, "branch");
    return NULL;
}

static const steptree_error* add_branches(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    steptree_closure branch = {&tell_branch, NULL, NULL, NULL, NULL};
    steptree_adder* branches = NULL;
    (void)args;
    branch.data = data;
    CHECK(api->step->parallel(asi, NULL, STEPTREE_NO_TEXT, &branches) == NULL);
    CHECK(api->add->step(branches, &branch) == NULL);
    return api->add->step(branches, &branch);
}

static void fill_branches(steptree_adder* to, story* of) {
    steptree_closure closure = {&add_branches, NULL, NULL, NULL, NULL};
    closure.data = of;
    CHECK(api->add->step(to, &closure) == NULL);
}

static void runs_branches(void) {
    story of = {"", 0};
    run_flow(&of, &fill_branches);
    CHECK(strcmp(of.told, "branch branch ok") == 0);
}

void test_steps(void) {
    TEST("a step gives its values to the next one", gives_values_from_step_to_step);
    TEST("a body of C leaves its loop", leaves_a_loop);
    TEST("a step of C that is late is closed: cancel handler, handler, deferred function",
         closes_a_step_that_is_late);
    TEST("branches of C run side by side", runs_branches);
}
