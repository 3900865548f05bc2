#include "check.h"

/* What flows do, and wait for: snapshots, recordings, stalls. */

static const steptree_error* wait_outside(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    (void)args;
    return api->step->wait_external(asi, data);
}

/* A flow "main" that waits in its step "ask" for a completion. */
typedef struct waiting {
    steptree_tool* tool;
    steptree_flow* flow;
    steptree_completion completion;
    story told;
} waiting;

static void tell_report(const steptree_error* error, void* data) {
    char line[64];
    const steptree_text code = api->error->code(error), path = api->error->path(error);
    snprintf(line, sizeof line, "%.*s in %.*s", (int)code.size, code.data, (int)path.size,
             path.data);
    tell(data, line);
}

static void make_waiting(waiting* of) {
    steptree_options options = {0};
    steptree_closure waits = {&wait_outside, NULL, NULL, NULL, NULL};
    memset(of, 0, sizeof *of);
    options.size = sizeof options;
    options.name = STEPTREE_TEXT("main");
    options.report = &tell_report;
    options.data = &of->told;
    waits.data = &of->completion;
    CHECK(api->tool->make_virtual(NULL, &of->tool) == NULL);
    CHECK(api->flow->make(of->tool, &options, &of->flow) == NULL);
    CHECK(api->add->named_step(STEPTREE_ADDER(of->flow), &waits, STEPTREE_TEXT("ask")) == NULL);
}

static void start(waiting* of) {
    const steptree_done none = {NULL, NULL, NULL};
    CHECK(api->flow->execute(of->flow, &none, NULL) == NULL);
    CHECK(api->tool->run(of->tool) == NULL);
}

static void end(waiting* of) {
    api->completion->drop(of->completion);
    api->flow->drop(of->flow);
    api->tool->drop(of->tool);
}

static int has(const steptree_value* value, const char* wanted) {
    char text[512];
    CHECK(value->tag == STEPTREE_STRING);
    snprintf(text, sizeof text, "%.*s", (int)value->of.text.size, value->of.text.data);
    return strstr(text, wanted) != NULL;
}

static void shows_a_snapshot_as_text(void) {
    waiting of;
    steptree_value text = {0};
    make_waiting(&of);
    start(&of);
    CHECK(api->tool->snapshot_text(of.tool, 0, &text) == NULL);
    CHECK(has(&text, "main") && has(&text, "ask"));
    api->value->drop(&text);
    CHECK(api->tool->snapshot_text(of.tool, 1, &text) == NULL);
    CHECK(!has(&text, "ask"));
    api->value->drop(&text);
    CHECK(api->flow->snapshot_text(of.flow, 0, &text) == NULL);
    CHECK(has(&text, "ask"));
    api->value->drop(&text);
    end(&of);
}

static const steptree_value* field(const steptree_value* map, const char* key) {
    for (size_t i = 0; i < map->of.map.count; ++i) {
        const steptree_entry* const entry = &map->of.map.entries[i];
        if (is(entry->key.of.text, key)) return &entry->value;
    }
    return NULL;
}

static void gives_recorded_events(void) {
    waiting of;
    steptree_recorder* recorder = NULL;
    steptree_value events = {0}, trace = {0};
    make_waiting(&of);
    CHECK(api->observe->make_recorder(of.tool, 64, 0, &recorder) == NULL);
    start(&of);
    CHECK(api->observe->events(recorder, &events) == NULL);
    CHECK(events.tag == STEPTREE_LIST && events.of.list.count > 1);
    const steptree_value* const last = &events.of.list.items[events.of.list.count - 1];
    CHECK(last->tag == STEPTREE_MAP);
    CHECK(is(field(last, "what")->of.text, "waits"));
    CHECK(is(field(last, "waits")->of.text, "completion"));
    CHECK(is(field(last, "path")->of.text, "ask"));
    CHECK(is(field(field(last, "flow"), "name")->of.text, "main"));
    CHECK(field(last, "code") == NULL);
    CHECK(api->observe->trace(recorder, &trace) == NULL);
    CHECK(has(&trace, "\"traceEvents\""));
    api->value->drop(&events);
    api->value->drop(&trace);
    api->observe->drop_recorder(recorder);
    end(&of);
}

static void reports_waits_that_last(void) {
    waiting of;
    steptree_stall_options options = {0};
    steptree_handle* watch = NULL;
    options.size = sizeof options;
    options.given = STEPTREE_GIVEN_WAIT;
    options.wait = 10;
    make_waiting(&of);
    CHECK(api->observe->watch_stalls(of.tool, &options, &watch) == NULL);
    start(&of);
    CHECK(api->tool->advance(of.tool, 9) == NULL);
    CHECK(strcmp(of.told.told, "") == 0);
    CHECK(api->tool->advance(of.tool, 9) == NULL);
    CHECK(strcmp(of.told.told, "StalledWait in ask") == 0);
    CHECK(api->handle->valid(watch) == 1);
    api->handle->drop(watch);
    end(&of);
}

static void refuses_a_watch_that_watches_nothing(void) {
    waiting of;
    steptree_stall_options options = {0};
    steptree_handle* watch = NULL;
    story data = {"", 0};
    options.size = sizeof options;
    options.data = &data;
    options.drop = &drop_story;
    make_waiting(&of);
    const steptree_error* const error = api->observe->watch_stalls(of.tool, &options, &watch);
    CHECK(error != NULL && is(api->error->code(error), "InternalError"));
    CHECK(watch == NULL && data.dropped == 1);
    end(&of);
}

void test_looks(void) {
    TEST("a snapshot is shown as text, of as many lines as are wanted", shows_a_snapshot_as_text);
    TEST("what a recorder has is read as maps, and as a trace", gives_recorded_events);
    TEST("a wait that lasts is told to the flow's report", reports_waits_that_last);
    TEST("a watch without any time is refused", refuses_a_watch_that_watches_nothing);
}
