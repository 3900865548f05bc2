#include "check.h"

/* What a program may get wrong, or does inside of another call. */

static int dropped;
static void count_drop(void* pointer) {
    (void)pointer;
    ++dropped;
}
static const steptree_kind kind = {sizeof kind, 0, {"kind", 4}, &count_drop};

static steptree_value opaque_value(void) {
    steptree_value made = {0};
    made.tag = STEPTREE_OPAQUE;
    made.of.opaque.pointer = &dropped;
    made.of.opaque.kind = &kind;
    return made;
}

static steptree_step* outer;

static const steptree_error* gives_for_another_step(steptree_step* asi, const steptree_args* args,
                                                    void* data) {
    const steptree_value seven = int_value(7);
    steptree_awaitable awaitable = {sizeof awaitable, 0, NULL, NULL, NULL, NULL};
    (void)asi;
    (void)args;
    CHECK(is(api->error->code(api->step->give(outer, &seven, 1)), "InternalError"));
    CHECK(is(api->error->code(api->step->give_awaitable(outer, &awaitable)), "InternalError"));
    tell(data, "refused");
    return NULL;
}
static const steptree_error* adds_that(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_closure closure = {&gives_for_another_step, NULL, NULL, NULL, NULL};
    (void)args;
    outer = asi;
    closure.data = data;
    return api->add->step(STEPTREE_ADDER(asi), &closure);
}
static const steptree_error* gets_nothing(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    (void)asi;
    (void)data;
    CHECK(args->count == 0);
    return NULL;
}
static void fill_with_gives(steptree_adder* to, story* of) {
    steptree_closure closure = {&adds_that, NULL, NULL, NULL, NULL};
    closure.data = of;
    CHECK(api->add->step(to, &closure) == NULL);
    closure.body = &gets_nothing;
    CHECK(api->add->step(to, &closure) == NULL);
}
static void result_of_another_step_is_refused(void) {
    story of = {"", 0};
    run_flow(&of, &fill_with_gives);
    CHECK(strcmp(of.told, "refused ok") == 0);
}

static void drop_that_fails(void* data) {
    (void)data;
    CHECK(api->error->make(STEPTREE_TEXT("OfTheDrop"), STEPTREE_NO_TEXT, NULL) != NULL);
}
static const steptree_error* never(steptree_step* asi, const steptree_outcome* outcome,
                                   void* data) {
    (void)asi;
    (void)outcome;
    (void)data;
    return NULL;
}
static const steptree_error* defers_late(steptree_step* asi, const steptree_args* args,
                                         void* data) {
    const steptree_error* const error = api->step->defer(outer, &never, NULL, &drop_that_fails);
    (void)asi;
    (void)args;
    (void)data;
    CHECK(error != NULL && is(api->error->code(error), "InternalError"));
    return NULL;
}
static const steptree_error* adds_late(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_closure closure = {&defers_late, NULL, NULL, NULL, NULL};
    (void)args;
    (void)data;
    outer = asi;
    return api->add->step(STEPTREE_ADDER(asi), &closure);
}
static void fill_with_late(steptree_adder* to, story* of) {
    steptree_closure closure = {&adds_late, NULL, NULL, NULL, NULL};
    (void)of;
    CHECK(api->add->step(to, &closure) == NULL);
}
static void error_is_that_of_the_call(void) {
    story of = {"", 0};
    run_flow(&of, &fill_with_late);
    CHECK(strcmp(of.told, "ok") == 0);
}

static steptree_flow* other;

static const steptree_error* fails_meanwhile(steptree_step* asi, const steptree_args* args,
                                             void* data) {
    (void)args;
    (void)data;
    CHECK(api->step->last_error(asi) == NULL);
    CHECK(api->step->last_thrown(asi) == NULL);
    CHECK(api->error->make(STEPTREE_TEXT("Meanwhile"), STEPTREE_NO_TEXT, NULL) != NULL);
    return NULL;
}
static const steptree_error* waits(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    (void)data;
    return api->step->set_cancel(asi, &fails_meanwhile, NULL, NULL);
}
static const steptree_error* fails(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    (void)data;
    return api->step->error(asi, STEPTREE_TEXT("First"), STEPTREE_TEXT("info"));
}
static const steptree_error* cancels_other(steptree_step* asi, steptree_text code, void* data) {
    const steptree_error* const handled = api->step->last_error(asi);
    const steptree_error* const thrown = api->step->last_thrown(asi);
    const steptree_error* const made =
        api->error->make(STEPTREE_TEXT("Second"), STEPTREE_NO_TEXT, NULL);
    (void)code;
    (void)data;
    CHECK(api->flow->cancel(other, STEPTREE_NO_TEXT) == NULL);
    CHECK(is(api->error->code(handled), "First") && is(api->error->info(handled), "info"));
    CHECK(is(api->error->code(thrown), "First"));
    return made;
}
static void fill_with_cancels(steptree_adder* to, story* of) {
    steptree_closure closure = {&fails, NULL, NULL, &cancels_other, NULL};
    (void)of;
    CHECK(api->add->step(to, &closure) == NULL);
}
static void errors_outlive_calls_inside_of_calls(void) {
    story of = {"", 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_closure closure = {&waits, NULL, NULL, NULL, NULL};
    steptree_done done = {&tell_end, NULL, NULL};
    done.data = &of;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &other) == NULL);
    CHECK(api->add->step(STEPTREE_ADDER(other), &closure) == NULL);
    CHECK(api->flow->execute(other, &done, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    fill_with_cancels(STEPTREE_ADDER(flow), &of);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    CHECK(strcmp(of.told, "cancelled error Second") == 0);
    api->flow->drop(flow);
    api->flow->drop(other);
    api->tool->drop(tool);
}

static void nesting_is_counted_in_kept_values(void) {
    steptree_value inner = int_value(1), made = {0};
    const steptree_error* error = NULL;
    int depth = 0;
    for (; error == NULL && depth < 1000; ++depth) {
        steptree_value list = {0};
        list.tag = STEPTREE_LIST;
        list.of.list.items = &inner;
        list.of.list.count = 1;
        error = api->value->keep(&list, &made);
        if (error != NULL) break;
        api->value->drop(&inner);
        inner = made;
    }
    CHECK(depth == 256);
    CHECK(error != NULL && is(api->error->code(error), "InternalError"));
    api->value->drop(&inner);
    CHECK(inner.tag == STEPTREE_NOTHING);
}

static const steptree_error* is_too_much(steptree_step* asi, const steptree_args* args,
                                         void* data) {
    steptree_value five[5];
    int i;
    (void)args;
    (void)data;
    for (i = 0; i < 5; ++i) five[i] = opaque_value();
    CHECK(api->step->success(outer, five, 5) != NULL);
    CHECK(dropped == 5);
    CHECK(api->step->success(outer, five, 2) != NULL);
    CHECK(dropped == 7);
    five[0].tag = 77;
    CHECK(api->step->success(asi, five, 4) != NULL);
    CHECK(dropped == 10);
    CHECK(api->step->give(asi, five, 5) != NULL);
    CHECK(dropped == 14);
    return NULL;
}
static const steptree_error* adds_too_much(steptree_step* asi, const steptree_args* args,
                                           void* data) {
    steptree_closure closure = {&is_too_much, NULL, NULL, NULL, NULL};
    (void)args;
    (void)data;
    outer = asi;
    return api->add->step(STEPTREE_ADDER(asi), &closure);
}
static void fill_with_too_much(steptree_adder* to, story* of) {
    steptree_closure closure = {&adds_too_much, NULL, NULL, NULL, NULL};
    (void)of;
    CHECK(api->add->step(to, &closure) == NULL);
}
static void values_that_are_refused_are_dropped(void) {
    story of = {"", 0};
    steptree_value three[3];
    const steptree_definition* value = NULL;
    steptree_closure closure = {&gets_nothing, NULL, NULL, NULL, NULL};
    dropped = 0;
    run_flow(&of, &fill_with_too_much);
    dropped = 0;
    three[0] = three[2] = opaque_value();
    three[1] = int_value(0);
    three[1].tag = 77;
    CHECK(api->define->step(&closure, &value) == NULL);
    {
        const steptree_definition* bound = NULL;
        CHECK(api->define->bound(value, three, 3, &bound) != NULL);
        CHECK(bound == NULL);
    }
    CHECK(dropped == 2);
    api->define->drop(value);
}

static void what_is_missing_is_refused(void) {
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_handle* handle = NULL;
    const steptree_definition* value = NULL;
    const steptree_closure closure = {&gets_nothing, NULL, NULL, NULL, NULL};
    const steptree_callback nothing = {NULL, NULL, NULL};
    steptree_map_options map = {0};
    map.size = sizeof map;
    map.limit = 1;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    CHECK(api->define->map(&map, &closure, &value) != NULL);
    CHECK(api->define->for_each(NULL, &closure, STEPTREE_NO_TEXT, &value) != NULL);
    CHECK(api->observe->observe(tool, NULL, NULL, NULL, 0, &handle) != NULL);
    CHECK(api->flow->closed(flow, &nothing) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

static void drop_the_listener(void* data) {
    steptree_handle** const handle = data;
    api->handle->drop(*handle);
    *handle = NULL;
    CHECK(dropped == 0);
}
static void drop_of_listener(void* data) {
    (void)data;
    ++dropped;
}
static void listener_may_drop_itself(void) {
    steptree_signal* signal = NULL;
    static steptree_handle* handle;
    const steptree_callback callback = {&drop_the_listener, &handle, &drop_of_listener};
    dropped = 0;
    CHECK(api->signal->make(&signal) == NULL);
    CHECK(api->signal->listen(signal, &callback, &handle) == NULL);
    CHECK(api->handle->valid(handle) == 1);
    CHECK(api->signal->abort(signal) == 1);
    CHECK(handle == NULL && dropped == 1);
    api->signal->drop(signal);
}

static steptree_keyed* no_key;
static const steptree_error* knows_no_key(steptree_text key, steptree_guard_options* options,
                                          void* data) {
    options->data = data;
    options->drop = &drop_story;
    return api->error->make(STEPTREE_TEXT("NoSuchKey"), key, NULL);
}
static void lock_a_key(steptree_adder* to, story* of) {
    const steptree_closure closure = {&gets_nothing, NULL, NULL, NULL, NULL};
    CHECK(api->guard->make_keyed(STEPTREE_MUTEX, &knows_no_key, of, NULL, &no_key) == NULL);
    CHECK(api->add->sync_key(to, no_key, STEPTREE_TEXT("ann"), &closure) == NULL);
}
static void error_of_a_key_is_that_of_the_section(void) {
    int64_t count = 7;
    story of = {"", 0};
    run_flow(&of, &lock_a_key);
    CHECK(strcmp(of.told, "error NoSuchKey") == 0 && of.dropped == 1);
    CHECK(api->guard->keyed_size(no_key, &count) == NULL && count == 0);
    api->guard->drop_keyed(no_key);
}

void test_edges(void) {
    TEST("the result of another step is refused", result_of_another_step_is_refused);
    TEST("data is dropped before its call says how it has failed", error_is_that_of_the_call);
    TEST("errors outlive calls inside of a call", errors_outlive_calls_inside_of_calls);
    TEST("what is nested in kept values counts", nesting_is_counted_in_kept_values);
    TEST("opaque values that are refused are dropped", values_that_are_refused_are_dropped);
    TEST("what is missing is refused", what_is_missing_is_refused);
    TEST("a listener may drop itself", listener_may_drop_itself);
    TEST("the error of a key is that of its section", error_of_a_key_is_that_of_the_section);
}
