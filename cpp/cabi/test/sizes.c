#include "check.h"

/* Structs of whichever size. */

static int refused(const steptree_error* error, const char* wanted) {
    char info[256];
    if (error == NULL || !is(api->error->code(error), "InternalError")) return 0;
    const steptree_text text = api->error->info(error);
    snprintf(info, sizeof info, "%.*s", (int)text.size, text.data);
    if (strstr(info, wanted) == NULL) fprintf(stderr, "said: %s\n", info);
    return strstr(info, wanted) != NULL;
}

/* Options as an older, and as a newer program has them. */
typedef struct newer_options {
    steptree_channel_options known;
    int64_t added;
} newer_options;

static void takes_an_older_struct_as_far_as_it_goes(void) {
    steptree_channel_options options = {0, 0, 2, {"never read", 10}};
    steptree_channel_reading read = {sizeof read, 0, 0, 0, 0, 0};
    steptree_channel* channel = NULL;
    options.size = (uint32_t)offsetof(steptree_channel_options, name);
    CHECK(api->channel->make(&options, &channel) == NULL);
    CHECK(api->channel->read(channel, &read) == NULL);
    CHECK(read.available == 2);
    CHECK(api->channel->close(channel) == NULL);
    api->channel->drop(channel);
}

static void takes_a_newer_struct_if_the_rest_is_0(void) {
    newer_options options = {{sizeof options, 0, 1, {NULL, 0}}, 0};
    steptree_channel* channel = NULL;
    CHECK(api->channel->make(&options.known, &channel) == NULL);
    api->channel->drop(channel);
    channel = NULL;
    options.added = 1;
    CHECK(refused(api->channel->make(&options.known, &channel),
                  "steptree_channel_options: this runtime is older than what it is given"));
    CHECK(channel == NULL);
}

static void refuses_a_size_that_is_not_set(void) {
    steptree_channel_options options = {0, 0, 1, {NULL, 0}};
    steptree_channel_reading read = {0, 0, 0, 0, 0, 0};
    steptree_channel* channel = NULL;
    CHECK(refused(api->channel->make(&options, &channel), "its size isn't set, 0"));
    options.size = sizeof options;
    CHECK(api->channel->make(&options, &channel) == NULL);
    CHECK(refused(api->channel->read(channel, &read), "its size isn't set, 0"));
    api->channel->drop(channel);
}

/* Bits and reserved members that aren't known, each with data that is dropped. */
static void refuses_unknown_bits(void) {
    story data = {"", 0};
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_guard* guard = NULL;
    steptree_options options = {0};
    steptree_guard_options of_guard = {0};
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    options.size = sizeof options;
    options.data = of_guard.data = &data;
    options.drop = of_guard.drop = &drop_story;
    options.reserved = 1;
    CHECK(refused(api->flow->make(tool, &options, &flow), "steptree_options: reserved is 1"));
    options.reserved = 0;
    options.given = STEPTREE_GIVEN_BURST | STEPTREE_GIVEN_JITTER;
    options.burst = 1;
    CHECK(refused(api->flow->make(tool, &options, &flow), "given is 129, of which 128"));
    of_guard.size = sizeof of_guard;
    of_guard.kind = STEPTREE_MUTEX;
    of_guard.flags = STEPTREE_UNORDERED;
    CHECK(refused(api->guard->make(&of_guard, &guard), "steptree_guard_options: flags is 2"));
    CHECK(flow == NULL && guard == NULL && data.dropped == 3);
    api->tool->drop(tool);
}

static const steptree_error* gets_nothing(steptree_step* asi, const steptree_args* args,
                                          void* data) {
    (void)asi, (void)args, (void)data;
    return NULL;
}

/* Of a call with two of them, and of a struct inside of another one. */
static void drops_all_data_of_what_is_refused(void) {
    story data = {"", 0};
    const steptree_definition* value = NULL;
    steptree_closure closure = {&gets_nothing, NULL, &drop_story, NULL, NULL};
    steptree_retry_options retry = {0};
    steptree_map_options map = {0};
    steptree_source source = {sizeof source, 7, NULL, NULL, NULL, NULL, &drop_story};
    closure.data = retry.data = source.data = &data;
    retry.size = sizeof retry;
    retry.given = STEPTREE_GIVEN_BODY;
    retry.max = 1;
    retry.drop = &drop_story;
    CHECK(refused(api->define->retry(&retry, &closure, &value), "steptree_retry_options: given"));
    CHECK(data.dropped == 2);
    map.size = sizeof map;
    map.limit = 1;
    map.source = &source;
    CHECK(refused(api->define->map(&map, &closure, &value), "steptree_source: reserved is 7"));
    CHECK(data.dropped == 4 && value == NULL);
}

static void drop_pointer(void* pointer) {
    ++*(int*)pointer;
}
static void refuses_an_unknown_kind(void) {
    static const steptree_kind odd = {sizeof odd, 1, {"odd", 3}, &drop_pointer};
    int dropped = 0;
    steptree_value value = {0}, kept = {0};
    value.tag = STEPTREE_OPAQUE;
    value.of.opaque.pointer = &dropped;
    value.of.opaque.kind = &odd;
    CHECK(refused(api->value->keep(&value, &kept), "steptree_kind: reserved is 1"));
    CHECK(dropped == 1);
}

/* What is filled has room for one member less, and for one more. */
static void fills_no_more_than_there_is_room_for(void) {
    struct {
        steptree_channel_reading known;
        int64_t added;
    } larger = {{sizeof larger, 0, 0, 0, 0, 0}, 77};
    steptree_channel_reading smaller = {
        offsetof(steptree_channel_reading, receivers), 0, 0, 0, 0, 77};
    steptree_channel_options options = {sizeof options, STEPTREE_ANY_THREAD, 3, {NULL, 0}};
    steptree_channel* channel = NULL;
    CHECK(api->channel->make(&options, &channel) == NULL);
    CHECK(api->channel->read(channel, &smaller) == NULL);
    CHECK(smaller.available == 3 && smaller.receivers == 77);
    CHECK(smaller.size == offsetof(steptree_channel_reading, receivers));
    CHECK(api->channel->read(channel, &larger.known) == NULL);
    CHECK(larger.known.receivers == 0 && larger.added == 77);
    CHECK(larger.known.size == sizeof larger.known);
    api->channel->drop(channel);
}

void test_sizes(void) {
    TEST("an older struct is taken as far as it goes", takes_an_older_struct_as_far_as_it_goes);
    TEST("a newer struct is taken if what is beyond is 0", takes_a_newer_struct_if_the_rest_is_0);
    TEST("a size that isn't set is refused", refuses_a_size_that_is_not_set);
    TEST("unknown bits and reserved members are refused", refuses_unknown_bits);
    TEST("what is refused has its data dropped", drops_all_data_of_what_is_refused);
    TEST("an opaque value of an unknown kind is refused", refuses_an_unknown_kind);
    TEST("a struct is filled as far as there is room", fills_no_more_than_there_is_room_for);
}
