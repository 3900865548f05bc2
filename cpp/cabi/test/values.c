#include "check.h"

/* Values: of each type, owned and lent, and what is opaque. */

typedef struct opaque_of {
    story* told;
    int number;
} opaque_of;

static void drop_opaque(void* pointer) {
    ++((opaque_of*)pointer)->told->dropped;
}
static const steptree_kind kOpaque = {sizeof kOpaque, 0, {"test.opaque", 11}, &drop_opaque};

static steptree_value opaque_value(opaque_of* of) {
    steptree_value made = {0};
    made.tag = STEPTREE_OPAQUE;
    made.of.opaque.pointer = of;
    made.of.opaque.kind = &kOpaque;
    return made;
}

/* A list of a number, a text, nothing, and a map with bytes. */
static steptree_value tree_of(steptree_value* items, steptree_entry* entry) {
    steptree_value list = {0};
    entry->key = text_value("k");
    entry->value = text_value("a\0b");
    entry->value.tag = STEPTREE_BYTES;
    entry->value.of.text.size = 3;
    items[0] = int_value(-5);
    items[1] = text_value("text");
    memset(&items[2], 0, sizeof items[2]);
    memset(&items[3], 0, sizeof items[3]);
    items[3].tag = STEPTREE_MAP;
    items[3].of.map.entries = entry;
    items[3].of.map.count = 1;
    list.tag = STEPTREE_LIST;
    list.of.list.items = items;
    list.of.list.count = 4;
    return list;
}

static void check_tree(const steptree_value* tree) {
    CHECK(tree->tag == STEPTREE_LIST && tree->of.list.count == 4);
    const steptree_value* const items = tree->of.list.items;
    CHECK(items[0].tag == STEPTREE_INT64 && items[0].of.integer == -5);
    CHECK(items[1].tag == STEPTREE_STRING && is(items[1].of.text, "text"));
    CHECK(items[2].tag == STEPTREE_NOTHING);
    CHECK(items[3].tag == STEPTREE_MAP && items[3].of.map.count == 1);
    CHECK(is(items[3].of.map.entries[0].key.of.text, "k"));
    CHECK(items[3].of.map.entries[0].value.tag == STEPTREE_BYTES);
    CHECK(memcmp(items[3].of.map.entries[0].value.of.text.data, "a\0b", 3) == 0);
}

static void copies_what_it_is_given(void) {
    steptree_value items[4], kept, again;
    steptree_entry entry;
    steptree_value tree = tree_of(items, &entry);
    CHECK(api->value->keep(&tree, &kept) == NULL);
    memset(items, 0xff, sizeof items);
    memset(&entry, 0xff, sizeof entry);
    check_tree(&kept);
    CHECK(api->value->keep(&kept.of.list.items[3], &again) == NULL);
    api->value->drop(&kept);
    CHECK(kept.tag == STEPTREE_NOTHING);
    CHECK(is(again.of.map.entries[0].key.of.text, "k"));
    api->value->drop(&again);
}

static void drops_an_opaque_value_with_its_last_copy(void) {
    story told = {"", 0};
    opaque_of of = {NULL, 3};
    steptree_value kept, again;
    of.told = &told;
    const steptree_value given = opaque_value(&of);
    CHECK(api->value->keep(&given, &kept) == NULL);
    CHECK(kept.of.opaque.kind == &kOpaque && kept.of.opaque.pointer == &of);
    CHECK(api->value->keep(&kept, &again) == NULL);
    api->value->drop(&kept);
    CHECK(told.dropped == 0);
    api->value->drop(&again);
    CHECK(told.dropped == 1);
}

static void drops_an_opaque_value_that_it_refuses(void) {
    story told = {"", 0};
    opaque_of of = {NULL, 3};
    steptree_value items[2], kept, list = {0};
    of.told = &told;
    items[0] = opaque_value(&of);
    memset(&items[1], 0, sizeof items[1]);
    items[1].tag = 99;
    list.tag = STEPTREE_LIST;
    list.of.list.items = items;
    list.of.list.count = 2;
    const steptree_error* const error = api->value->keep(&list, &kept);
    CHECK(error != NULL && is(api->error->code(error), "InternalError"));
    CHECK(error != NULL && is(api->error->info(error), "a value has no known type: 99"));
    CHECK(told.dropped == 1);
}

static void refuses_what_is_nested_too_deep(void) {
    static steptree_value lists[300];
    steptree_value kept;
    for (int i = 0; i < 299; ++i) {
        lists[i].tag = STEPTREE_LIST;
        lists[i].of.list.items = &lists[i + 1];
        lists[i].of.list.count = 1;
    }
    CHECK(api->value->keep(&lists[0], &kept) != NULL);
    CHECK(api->value->keep(&lists[60], &kept) == NULL);
    api->value->drop(&kept);
}

static const steptree_error* give_all(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value items[4], given[4];
    steptree_entry entry;
    (void)args;
    (void)data;
    given[0] = tree_of(items, &entry);
    given[1] = text_value("second");
    given[2] = int_value(1);
    given[2].tag = STEPTREE_BOOL;
    memset(&given[3], 0, sizeof given[3]);
    given[3].tag = STEPTREE_DOUBLE;
    given[3].of.number = 0.5;
    return api->step->success(asi, given, 4);
}

static const steptree_error* pass_all(steptree_step* asi, const steptree_args* args, void* data) {
    tell(data, "passed");
    return api->step->forward(asi, args);
}

static const steptree_error* take_all(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    tell(data, "taken");
    CHECK(args->count == 4);
    check_tree(&args->values[0]);
    CHECK(args->values[1].tag == STEPTREE_STRING && is(args->values[1].of.text, "second"));
    CHECK(args->values[2].tag == STEPTREE_BOOL && args->values[2].of.boolean == 1);
    CHECK(args->values[3].tag == STEPTREE_DOUBLE && args->values[3].of.number == 0.5);
    return NULL;
}

static void fill_all(steptree_adder* to, story* of) {
    steptree_closure gives = {&give_all, NULL, NULL, NULL, NULL};
    steptree_closure passes = {&pass_all, NULL, NULL, NULL, NULL};
    steptree_closure takes = {&take_all, NULL, NULL, NULL, NULL};
    gives.data = passes.data = takes.data = of;
    CHECK(api->add->step(to, &gives) == NULL);
    CHECK(api->add->step(to, &passes) == NULL);
    CHECK(api->add->step(to, &takes) == NULL);
}

static void gives_on_values_of_all_types(void) {
    story of = {"", 0};
    run_flow(&of, &fill_all);
    CHECK(strcmp(of.told, "passed taken ok") == 0);
}

static const steptree_error* give_five(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_value given[5];
    (void)args;
    (void)data;
    for (int i = 0; i < 5; ++i) given[i] = int_value(i);
    return api->step->success(asi, given, 5);
}

static void fill_five(steptree_adder* to, story* of) {
    steptree_closure gives = {&give_five, NULL, NULL, NULL, NULL};
    gives.data = of;
    CHECK(api->add->step(to, &gives) == NULL);
}

static void fails_a_step_with_more_than_four(void) {
    story of = {"", 0};
    run_flow(&of, &fill_five);
    CHECK(strcmp(of.told, "error InternalError") == 0);
}

void test_values(void) {
    TEST("what is given is copied in the call", copies_what_it_is_given);
    TEST("an opaque value is dropped with its last copy", drops_an_opaque_value_with_its_last_copy);
    TEST("an opaque value that is refused is dropped, too", drops_an_opaque_value_that_it_refuses);
    TEST("a value that is nested deeper than 256 is refused", refuses_what_is_nested_too_deep);
    TEST("values of all types go from step to step", gives_on_values_of_all_types);
    TEST("more than 4 values fail the step", fails_a_step_with_more_than_four);
}
