/* A plug-in in C: TOKENS.TAKE key n takes n of the tokens that stand in a key of the server, all or
 * none. It sees the key by services of its host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steptree/steptree.h"

static const steptree_api* api;
static steptree_plugin_host* host;
/* Who takes of a key waits until the one before has: nobody sees a number that another one changes.
 */
static steptree_keyed* turns;

/* What is to be taken, and from where. */
typedef struct taking {
    int64_t count;
    size_t size;
    char key[1];
} taking;

static taking* taking_of(int64_t count, const char* key, size_t size) {
    taking* const made = malloc(sizeof *made + size);
    if (made == NULL) return NULL;
    made->count = count;
    made->size = size;
    if (size > 0) memcpy(made->key, key, size);
    return made;
}

static steptree_value bytes_of(const char* data, size_t size) {
    steptree_value value = {0};
    value.tag = STEPTREE_BYTES;
    value.of.text.data = data;
    value.of.text.size = size;
    return value;
}

/* 0: it's no number of tokens. */
static int read_count(const steptree_value* from, int64_t* into) {
    const steptree_text text = from->of.text;
    int64_t number = 0;
    size_t i = 0;
    if (from->tag != STEPTREE_BYTES || text.size == 0 || text.size > 18) return 0;
    for (; i < text.size; ++i) {
        if (text.data[i] < '0' || text.data[i] > '9') return 0;
        number = 10 * number + (text.data[i] - '0');
    }
    *into = number;
    return 1;
}

static const steptree_error* not_a_number(steptree_step* asi) {
    return api->step->error(asi, STEPTREE_TEXT("ERR"),
                            STEPTREE_TEXT("value is not an integer or out of range"));
}

static const steptree_error* no_memory(steptree_step* asi) {
    return api->step->error(asi, STEPTREE_TEXT("InternalError"), STEPTREE_TEXT("out of memory"));
}

/* Has what `keys.get` has left: the tokens of the key, or nothing. */
static const steptree_error* spend(steptree_step* asi, const steptree_args* args, void* data) {
    const taking* const of = data;
    steptree_value given[2] = {bytes_of(of->key, of->size)};
    steptree_value left = {0};
    char text[32];
    left.tag = STEPTREE_INT64;
    if (args->count > 0 && args->values[0].tag != STEPTREE_NOTHING &&
        !read_count(&args->values[0], &left.of.integer)) {
        return not_a_number(asi);
    }
    if (left.of.integer < of->count) {
        const int size = snprintf(text, sizeof text, "%lld left", (long long)left.of.integer);
        const steptree_text info = {text, (size_t)size};
        return api->step->error(asi, STEPTREE_TEXT("NOTOKENS"), info);
    }
    left.of.integer -= of->count;
    given[1] =
        bytes_of(text, (size_t)snprintf(text, sizeof text, "%lld", (long long)left.of.integer));
    const steptree_error* const error =
        api->add->service(STEPTREE_ADDER(asi), host, STEPTREE_TEXT("keys.set"), given, 2, NULL);
    return error != NULL ? error : api->add->success(STEPTREE_ADDER(asi), &left, 1);
}

/* It's the turn of this one. */
static const steptree_error* look(steptree_step* asi, const steptree_args* args, void* data) {
    const taking* const of = data;
    const steptree_value key = bytes_of(of->key, of->size);
    const steptree_error* const error =
        api->add->service(STEPTREE_ADDER(asi), host, STEPTREE_TEXT("keys.get"), &key, 1, NULL);
    (void)args;
    if (error != NULL) return error;
    taking* const own = taking_of(of->count, of->key, of->size);
    if (own == NULL) return no_memory(asi);
    const steptree_closure closure = {&spend, own, &free, NULL, NULL};
    return api->add->step(STEPTREE_ADDER(asi), &closure);
}

static const steptree_error* take(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_text key = args->values[0].of.text;
    int64_t count = 0;
    (void)data;
    if (args->values[0].tag != STEPTREE_BYTES || !read_count(&args->values[1], &count)) {
        return not_a_number(asi);
    }
    taking* const of = taking_of(count, key.data, key.size);
    if (of == NULL) return no_memory(asi);
    const steptree_closure closure = {&look, of, &free, NULL, NULL};
    return api->add->sync_key(STEPTREE_ADDER(asi), turns, key, &closure);
}

/* One at a time, which is what a mutex is without options. */
static const steptree_error* usual(steptree_text key, steptree_guard_options* options, void* data) {
    (void)key;
    (void)options;
    (void)data;
    return NULL;
}

static const steptree_error* start(const steptree_api* tables, steptree_plugin_host* of,
                                   void* data) {
    (void)data;
    api = tables;
    host = of;
    return api->guard->make_keyed(STEPTREE_MUTEX, &usual, NULL, NULL, &turns);
}

static void stop(void* data) {
    (void)data;
    api->guard->drop_keyed(turns);
}

static const steptree_plugin_handler handlers[] = {
    STEPTREE_HANDLER("take", "takes so many tokens of a key, and says how many are left", 2, 2,
                     &take),
};
STEPTREE_PLUGIN("tokens", "1.0.0", handlers, &start, &stop)
