#include <errno.h>

#include "check.h"

/* Errors: of calls, of bodies, and what they say. */

static void has_code_info_and_cause(void) {
    const steptree_error* const inner =
        api->error->make(STEPTREE_TEXT("Inner"), STEPTREE_TEXT("why"), NULL);
    api->error->keep(inner);
    const steptree_error* const outer =
        api->error->make(STEPTREE_TEXT("Outer"), STEPTREE_NO_TEXT, inner);
    CHECK(is(api->error->code(outer), "Outer"));
    CHECK(api->error->info(outer).size == 0);
    CHECK(is(api->error->code(api->error->cause(outer)), "Inner"));
    CHECK(is(api->error->info(api->error->cause(outer)), "why"));
    CHECK(api->error->cause(api->error->cause(outer)) == NULL);
    CHECK(api->error->also(outer, 0) == NULL);
    CHECK(api->error->retry_after(outer) == -1);
    CHECK(!api->error->foreign(outer) && !api->error->refused(outer));
    api->error->drop(inner);
}

static void names_an_error_of_the_system(void) {
    const steptree_error* error =
        api->error->of_system(ECONNREFUSED, STEPTREE_TEXT("connect"), NULL);
    CHECK(is(api->error->code(error), "ECONNREFUSED"));
    CHECK(api->error->foreign(error) == 1);
    error = api->error->of_system(0, STEPTREE_TEXT("boom"), NULL);
    CHECK(is(api->error->code(error), "InternalError"));
    CHECK(is(api->error->info(error), "boom"));
}

static int dropped;
static void count_drop(void* pointer) {
    (void)pointer;
    ++dropped;
}
static const steptree_kind kExceptions = {sizeof kExceptions, 0, {"exception", 9}, &count_drop};

static void has_the_object_that_it_is_made_of(void) {
    int thrown = 0;
    const steptree_opaque object = {&thrown, &kExceptions};
    dropped = 0;
    const steptree_error* error =
        api->error->of_object(ECONNREFUSED, STEPTREE_TEXT("connect"), object, NULL);
    CHECK(is(api->error->code(error), "ECONNREFUSED"));
    CHECK(is(api->error->info(error), "connect"));
    CHECK(api->error->foreign(error) == 1);
    CHECK(api->error->object(error).pointer == &thrown);
    api->error->keep(error);
    const steptree_error* const outer =
        api->error->make(STEPTREE_TEXT("Outer"), STEPTREE_NO_TEXT, error);
    api->error->drop(error);
    CHECK(api->error->object(outer).kind == NULL);
    CHECK(api->error->object(api->error->cause(outer)).pointer == &thrown);
    error = api->error->of_object(0, STEPTREE_TEXT("boom"), object, outer);
    CHECK(is(api->error->code(error), "Outer"));
    CHECK(api->error->object(error).kind == &kExceptions);
    CHECK(dropped == 0);
    api->error->make(STEPTREE_TEXT("Other"), STEPTREE_NO_TEXT, NULL);
    CHECK(dropped == 2);
}

static void keep_with_cause(const steptree_outcome* outcome, void* data) {
    const steptree_error** const kept = data;
    kept[0] = outcome->error;
    kept[1] = api->error->cause(outcome->error);
    api->error->keep(kept[0]);
    api->error->keep(kept[1]);
}

static const steptree_error* fail_with_cause(steptree_step* asi, const steptree_args* args,
                                             void* data) {
    (void)args;
    (void)data;
    return api->step->error_of(asi, STEPTREE_TEXT("Bad"), STEPTREE_TEXT("info"),
                               api->error->make(STEPTREE_TEXT("Cause"), STEPTREE_NO_TEXT, NULL));
}

static const steptree_error* read_error(steptree_step* asi, steptree_text code, void* data) {
    const steptree_error* const error = api->step->last_error(asi);
    CHECK(is(code, "Bad"));
    CHECK(is(api->error->info(error), "info"));
    CHECK(is(api->error->path(error), "page"));
    CHECK(is(api->error->code(api->error->cause(error)), "Cause"));
    tell(data, "read");
    return NULL;
}

static void fill_failing(steptree_adder* to, story* of) {
    steptree_closure closure = {&fail_with_cause, NULL, NULL, &read_error, NULL};
    closure.data = of;
    CHECK(api->add->named_step(to, &closure, STEPTREE_TEXT("page")) == NULL);
}

static void is_kept_beyond_what_has_lent_it(void) {
    const steptree_error* kept[2] = {NULL, NULL};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    const steptree_closure closure = {&fail_with_cause, NULL, NULL, NULL, NULL};
    steptree_done done = {&keep_with_cause, NULL, NULL};
    done.data = kept;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(flow), &closure) == NULL);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    api->flow->drop(flow);
    api->tool->drop(tool);
    CHECK(is(api->error->code(kept[0]), "Bad"));
    api->error->drop(kept[0]);
    CHECK(is(api->error->code(kept[1]), "Cause"));
    api->error->drop(kept[1]);
}

static const steptree_error* fail_with_object(steptree_step* asi, const steptree_args* args,
                                              void* data) {
    const steptree_opaque object = {data, &kExceptions};
    (void)asi;
    (void)args;
    return api->error->of_object(0, STEPTREE_TEXT("boom"), object, NULL);
}

static void keep_error(const steptree_outcome* outcome, void* data) {
    *(const steptree_error**)data = outcome->error;
    api->error->keep(outcome->error);
}

static void has_the_path_where_an_object_was_raised(void) {
    const steptree_error* kept = NULL;
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    const steptree_closure closure = {&fail_with_object, NULL, NULL, NULL, NULL};
    steptree_done done = {&keep_error, NULL, NULL};
    done.data = &kept;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->add->named_step(STEPTREE_ADDER(flow), &closure, STEPTREE_TEXT("page")) == NULL);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(api->error->foreign(kept) == 1);
    CHECK(is(api->error->path(kept), "page"));
    api->error->drop(kept);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

static void tells_a_handler_all_of_an_error(void) {
    story of = {"", 0};
    run_flow(&of, &fill_failing);
    CHECK(strcmp(of.told, "read error Bad") == 0);
}

static const steptree_error* return_an_error(steptree_step* asi, const steptree_args* args,
                                             void* data) {
    (void)asi;
    (void)args;
    (void)data;
    return api->error->make(STEPTREE_TEXT("Returned"), STEPTREE_NO_TEXT, NULL);
}

static void fill_returning(steptree_adder* to, story* of) {
    steptree_closure closure = {&return_an_error, NULL, NULL, NULL, NULL};
    closure.data = of;
    CHECK(api->add->step(to, &closure) == NULL);
}

static void fails_with_what_a_body_returns(void) {
    story of = {"", 0};
    run_flow(&of, &fill_returning);
    CHECK(strcmp(of.told, "error Returned") == 0);
}

static void says_what_was_wrong_with_a_call(void) {
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    const steptree_closure closure = {&return_an_error, NULL, NULL, NULL, NULL};
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->flow->execute(flow, NULL, NULL) == NULL);
    const steptree_error* const error = api->add->step(STEPTREE_ADDER(flow), &closure);
    CHECK(error != NULL && is(api->error->code(error), "InternalError"));
    CHECK(error != NULL &&
          is(api->error->info(error), "steps can't be added to a flow that is running"));
    CHECK(api->tool->iterate(tool, NULL) != NULL);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

void test_errors(void) {
    TEST("an error has code, info and cause", has_code_info_and_cause);
    TEST("an error of the system has the name of its number as code", names_an_error_of_the_system);
    TEST("an error gives back the object that it is made of", has_the_object_that_it_is_made_of);
    TEST("an error is kept beyond what has lent it", is_kept_beyond_what_has_lent_it);
    TEST("an object that was raised has its path at the end",
         has_the_path_where_an_object_was_raised);
    TEST("a handler is told code, info, path and cause", tells_a_handler_all_of_an_error);
    TEST("a body fails with the error that it returns", fails_with_what_a_body_returns);
    TEST("a call that is refused does nothing, and says why", says_what_was_wrong_with_a_call);
}
