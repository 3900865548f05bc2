#include "check.h"

/* A program in C that is the host of plug-ins. */

#ifdef TEST_GREETER

typedef struct hosting {
    steptree_tool* tool;
    steptree_plugin_host* host;
    story story;
} hosting;

static hosting open_host(void) {
    hosting at;
    memset(&at, 0, sizeof at);
    CHECK(api->tool->make_virtual(NULL, &at.tool) == NULL);
    CHECK(api->host->make(at.tool, NULL, &at.host) == NULL);
    return at;
}
static void close_host(hosting* at) {
    api->host->drop(at->host);
    CHECK(api->tool->run(at->tool) == NULL);
    api->tool->drop(at->tool);
}

static void tell_result(const steptree_outcome* outcome, void* data) {
    char text[64];
    if (outcome->kind != STEPTREE_OK) {
        tell_end(outcome, data);
        return;
    }
    snprintf(text, sizeof text, "%.*s", (int)outcome->values[0].of.text.size,
             outcome->values[0].of.text.data);
    tell(data, text);
}

/* Starts a handler with these values. */
static void start(hosting* at, const char* plugin, const char* handler,
                  const steptree_value* values, size_t count) {
    const steptree_definition* step = NULL;
    const steptree_definition* given = NULL;
    const steptree_done done = {&tell_result, &at->story, NULL};
    steptree_start_options options = {0};
    options.size = sizeof options;
    options.done = &done;
    CHECK(api->host->step(at->host, text_value(plugin).of.text, text_value(handler).of.text,
                          &step) == NULL);
    CHECK(api->define->bound(step, values, count, &given) == NULL);
    CHECK(api->tool->start(at->tool, given, &options) == NULL);
    api->define->drop(given);
    api->define->drop(step);
}
static void call(hosting* at, const char* plugin, const char* handler, const steptree_value* values,
                 size_t count) {
    start(at, plugin, handler, values, count);
    CHECK(api->tool->run(at->tool) == NULL);
}

static const steptree_value* member(const steptree_value* map, const char* key) {
    for (size_t i = 0; i < map->of.map.count; ++i) {
        if (is(map->of.map.entries[i].key.of.text, key)) return &map->of.map.entries[i].value;
    }
    return NULL;
}

static void loads_and_calls(void) {
    hosting at = open_host();
    const steptree_value ada = text_value("Ada");
    steptree_value info = {0}, list = {0};
    CHECK(api->host->load(at.host, text_value(TEST_GREETER).of.text, &info) == NULL);
    CHECK(is(member(&info, "name")->of.text, "greeter"));
    CHECK(is(member(&info, "path")->of.text, TEST_GREETER));
    CHECK(is(member(&info, "phase")->of.text, "serves"));
    CHECK(member(&info, "generation")->of.integer == 1);
    CHECK(member(&info, "steps")->of.integer == 0);
    CHECK(member(&info, "handlers")->of.list.count == 2);
    CHECK(is(member(member(&info, "handlers")->of.list.items, "name")->of.text, "greet"));
    CHECK(member(member(&info, "handlers")->of.list.items, "most")->of.integer == 2);
    api->value->drop(&info);
    call(&at, "greeter", "greet", &ada, 1);
    call(&at, "greeter", "part", &ada, 1);
    CHECK(strcmp(at.story.told, "Hello, Ada!!! error NoHandler") == 0);
    CHECK(api->host->load(at.host, text_value(TEST_GREETER).of.text, NULL) == NULL);
    CHECK(api->tool->run(at.tool) == NULL);
    CHECK(api->host->list(at.host, &list) == NULL);
    CHECK(list.of.list.count == 1);
    CHECK(member(&list.of.list.items[0], "generation")->of.integer == 2);
    api->value->drop(&list);
    close_host(&at);
}

static void refuses_what_is_none(void) {
    hosting at = open_host();
    const steptree_error* const error =
        api->host->load(at.host, text_value("/nowhere/greeter.so").of.text, NULL);
    CHECK(error != NULL && is(api->error->code(error), "PluginRefused"));
    close_host(&at);
}

static void tells_when_it_is_unloaded(void) {
    hosting at = open_host();
    steptree_done done = {&tell_end, NULL, &drop_story};
    done.data = &at.story;
    CHECK(api->host->load(at.host, text_value(TEST_GREETER).of.text, NULL) == NULL);
    CHECK(api->host->unload(at.host, text_value("greeter").of.text, &done) == NULL);
    CHECK(strcmp(at.story.told, "") == 0);
    CHECK(api->tool->run(at.tool) == NULL);
    CHECK(strcmp(at.story.told, "ok") == 0);
    CHECK(at.story.dropped == 1);
    close_host(&at);
}

static void tells_when_it_never_will_be(void) {
    hosting at = open_host();
    const steptree_value values[2] = {text_value("Ada"), int_value(50)};
    steptree_done done = {&tell_end, NULL, &drop_story};
    done.data = &at.story;
    CHECK(api->host->load(at.host, text_value(TEST_GREETER).of.text, NULL) == NULL);
    start(&at, "greeter", "greet", values, 2);
    CHECK(api->tool->advance(at.tool, 10) == NULL);
    CHECK(api->host->unload(at.host, text_value("greeter").of.text, &done) == NULL);
    CHECK(api->tool->advance(at.tool, 10) == NULL);
    close_host(&at);
    CHECK(strcmp(at.story.told, "error Canceled Hello, Ada!!!") == 0);
    CHECK(at.story.dropped == 1);
}

static const steptree_error* twice(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value text = text_value("");
    char both[64];
    (void)data;
    snprintf(both, sizeof both, "%.*s%.*s", (int)args->values[0].of.text.size,
             args->values[0].of.text.data, (int)args->values[0].of.text.size,
             args->values[0].of.text.data);
    text.of.text.data = both;
    text.of.text.size = strlen(both);
    return api->step->success(asi, &text, 1);
}

static void offers_services(void) {
    hosting at = open_host();
    const steptree_closure closure = {&twice, &at.story, &drop_story, NULL, NULL};
    const steptree_value values[2] = {text_value("twice"), text_value("ab")};
    const steptree_definition* service = NULL;
    const steptree_text name = text_value("twice").of.text;
    CHECK(api->host->load(at.host, text_value(TEST_CALLER).of.text, NULL) == NULL);
    CHECK(api->define->step(&closure, &service) == NULL);
    CHECK(api->host->offer(at.host, STEPTREE_NO_TEXT, service) != NULL);
    CHECK(api->host->offer(at.host, name, service) == NULL);
    api->define->drop(service);
    call(&at, "caller", "calls", values, 2);
    CHECK(at.story.dropped == 0);
    CHECK(api->host->withdraw(at.host, name) == NULL);
    CHECK(at.story.dropped == 1);
    call(&at, "caller", "calls", values, 2);
    CHECK(strcmp(at.story.told, "abab error NoService") == 0);
    CHECK(api->host->service(at.host, STEPTREE_NO_TEXT, &service) != NULL);
    close_host(&at);
}

/* Fails the first time, and tells what it was given. */
static const steptree_error* tells(steptree_step* asi, const steptree_args* args, void* data) {
    story* const of = data;
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)args->values[0].of.text.size,
             args->values[0].of.text.data);
    tell(of, text);
    return ++of->dropped == 1 ? api->step->error(asi, STEPTREE_TEXT("First"), STEPTREE_NO_TEXT)
                              : NULL;
}

static void gives_each_call_its_values(void) {
    hosting at = open_host();
    const steptree_closure closure = {&tells, &at.story, NULL, NULL, NULL};
    const steptree_value value = text_value("a");
    const steptree_text name = text_value("tells").of.text, first = text_value("First").of.text;
    const steptree_definition *step = NULL, *service = NULL, *again = NULL, *both = NULL,
                              *bound = NULL;
    steptree_closure body = {NULL, NULL, NULL, NULL, NULL};
    steptree_retry_options options = {0};
    const steptree_definition* branches[2];
    options.size = sizeof options;
    options.max = 2;
    options.codes = &first;
    options.count = 1;
    options.given = STEPTREE_GIVEN_CODES;
    CHECK(api->define->step(&closure, &step) == NULL);
    CHECK(api->host->offer(at.host, name, step) == NULL);
    CHECK(api->host->service(at.host, name, &service) == NULL);
    body.value = service;
    CHECK(api->define->retry(&options, &body, &again) == NULL);
    branches[0] = again;
    branches[1] = service;
    CHECK(api->define->all(branches, 2, &both) == NULL);
    CHECK(api->define->bound(both, &value, 1, &bound) == NULL);
    CHECK(api->tool->start(at.tool, bound, NULL) == NULL);
    CHECK(api->tool->run(at.tool) == NULL);
    CHECK(strcmp(at.story.told, "a a a") == 0);
    api->define->drop(step);
    api->define->drop(service);
    api->define->drop(again);
    api->define->drop(both);
    api->define->drop(bound);
    close_host(&at);
}

static const steptree_error* rescue(steptree_step* asi, steptree_text code, void* data) {
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)code.size, code.data);
    tell(data, text);
    return api->step->success(asi, NULL, 0);
}

static const steptree_error* adds_calls(steptree_step* asi, const steptree_args* args, void* data) {
    hosting* const at = data;
    steptree_adder* const to = STEPTREE_ADDER(asi);
    steptree_plugin_host* const host = at->host;
    const steptree_text name = text_value("twice").of.text;
    const steptree_value all[5] = {text_value("ab")};
    const steptree_closure handled = {NULL, &at->story, &drop_story, &rescue, NULL};
    (void)args;
    CHECK(api->add->service(to, host, STEPTREE_NO_TEXT, all, 1, &handled) != NULL);
    CHECK(at->story.dropped == 1);
    CHECK(api->add->service(to, host, name, all, 5, &handled) != NULL);
    CHECK(at->story.dropped == 2);
    CHECK(api->add->service(to, host, STEPTREE_TEXT("nobody"), all, 1, &handled) == NULL);
    CHECK(api->add->service(to, host, name, all, 1, NULL) == NULL);
    CHECK(api->add->service(to, host, name, NULL, 0, &handled) == NULL);
    return NULL;
}

static void adds_calls_of_services(void) {
    hosting at = open_host();
    const steptree_closure offered = {&twice, NULL, NULL, NULL, NULL};
    const steptree_closure adding = {&adds_calls, &at, NULL, NULL, NULL};
    const steptree_done done = {&tell_result, &at.story, NULL};
    const steptree_definition *service = NULL, *step = NULL;
    steptree_start_options options = {0};
    options.size = sizeof options;
    options.done = &done;
    CHECK(api->define->step(&offered, &service) == NULL);
    CHECK(api->host->offer(at.host, text_value("twice").of.text, service) == NULL);
    CHECK(api->define->step(&adding, &step) == NULL);
    CHECK(api->tool->start(at.tool, step, &options) == NULL);
    CHECK(api->tool->run(at.tool) == NULL);
    CHECK(strcmp(at.story.told, "NoService abababab") == 0);
    CHECK(at.story.dropped == 4);
    api->define->drop(service);
    api->define->drop(step);
    close_host(&at);
}

#else

static void is_not_implemented(void) {
    steptree_plugin_host* host = NULL;
    const steptree_error* const error = api->host->make(NULL, NULL, &host);
    CHECK(is(api->error->code(error), "NotImplemented"));
}

#endif

void test_hosting(void) {
#ifdef TEST_GREETER
    TEST("a host in C loads plug-ins, says what they are, and calls them", loads_and_calls);
    TEST("a host in C refuses what is no plug-in", refuses_what_is_none);
    TEST("a host in C is told when a plug-in is unloaded", tells_when_it_is_unloaded);
    TEST("a host in C that goes before a plug-in says so", tells_when_it_never_will_be);
    TEST("a host in C offers services", offers_services);
    TEST("each branch and each attempt that calls a service gives it its values",
         gives_each_call_its_values);
    TEST("a call of a service is added with its values, or takes those before it",
         adds_calls_of_services);
#else
    TEST("there are no hosts of plug-ins without ELF", is_not_implemented);
#endif
}
