#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"

/* What is no whole number, or isn't there, has no type here: it is one less than is allowed. */
int64_t limit_of(const steptree_value* given, const char* key, int64_t least) {
    const steptree_value* const value = part(given, key);
    if (is_text(value, "Infinity")) return INT64_MAX;
    if (!is_number(value)) return least - 1;
    const double number = number_in(value);
    return floor(number) == number ? (int64_t)number : least - 1;
}

/* The same of what has a default; says that it's given. */
static int64_t limit_in(steptree_guard_options* of, uint32_t bit, const steptree_value* given,
                        const char* key, int64_t least) {
    if (part(given, key) == NULL) return 0;
    of->given |= bit;
    return limit_of(given, key, least);
}

typedef struct failures {
    world* world; /* first: see count_data */
    const steptree_value* on;
} failures;

/* What is no code of `on` is no failure. */
static const steptree_error* is_failure(steptree_text code, const steptree_error* error,
                                        int32_t* is, void* data) {
    const failures* const of = data;
    const steptree_value* const answer = part_of_text(of->on, code);
    (void)error;
    if (is_text(answer, "throw")) return api->error->of_system(0, text("on"), NULL);
    *is = is_true(answer);
    return NULL;
}

/* Fills what the description of one kind has. */
static void fill(world* w, steptree_guard_options* of, const steptree_value* given) {
    const steptree_text algorithm = text_of(given, "algorithm");
    const steptree_value* const share = part(given, "rate");
    const int is_breaker = of->kind == STEPTREE_BREAKER;
    of->name = text_of(given, "name");
    of->max = limit_in(of, STEPTREE_GIVEN_MAX, given,
                       of->kind == STEPTREE_LIMITER ? "concurrent" : "max", 1);
    of->max_queue = limit_in(of, STEPTREE_GIVEN_MAX_QUEUE, given, "maxQueue", 0);
    if (!is_breaker) of->rate = limit_in(of, STEPTREE_GIVEN_RATE, given, "rate", 1);
    of->period = limit_in(of, STEPTREE_GIVEN_PERIOD, given, "period", 1);
    of->burst = limit_in(of, STEPTREE_GIVEN_BURST, given, "burst", 1);
    of->parties = part(given, "parties") == NULL ? 0 : limit_of(given, "parties", 1);
    of->calls = limit_in(of, STEPTREE_GIVEN_CALLS, given, "calls", 1);
    of->min_calls = limit_in(of, STEPTREE_GIVEN_MIN_CALLS, given, "minCalls", 1);
    of->open_for = limit_in(of, STEPTREE_GIVEN_OPEN_FOR, given, "openFor", 1);
    of->probes = limit_in(of, STEPTREE_GIVEN_PROBES, given, "probes", 1);
    if (is_breaker && share != NULL) {
        of->given |= STEPTREE_GIVEN_SHARE;
        of->share = is_number(share) || is_text(share, "NaN") ? number_in(share) : HUGE_VAL;
    }
    if (same_text(algorithm, "fixed")) of->algorithm = STEPTREE_FIXED;
    if (same_text(algorithm, "sliding")) of->algorithm = STEPTREE_SLIDING;
    if (same_text(algorithm, "bucket")) of->algorithm = STEPTREE_BUCKET;
    if (of->algorithm != 0) of->given |= STEPTREE_GIVEN_ALGORITHM;
    if (is_text(part(given, "abandoned"), "release")) of->flags |= STEPTREE_RELEASES;
    if (part(given, "open") != NULL && !is_true(part(given, "open"))) of->flags |= STEPTREE_CLOSED;
    if (part(given, "on") == NULL) return;
    failures* const on = take(&w->memory, sizeof *on);
    on->world = w;
    on->on = part(given, "on");
    of->failure = &is_failure;
    count_data(w, &of->data, &of->drop, on);
}

static uint32_t kind_of(steptree_text kind) {
    static const char* const kKinds[] = {"",       "mutex", "throttle", "limiter",
                                         "rwlock", "gate",  "barrier",  "breaker"};
    for (uint32_t i = 1; i < sizeof kKinds / sizeof *kKinds; ++i) {
        if (same_text(kind, kKinds[i])) return i;
    }
    return 0;
}

/* What another one of its name has replaced: steps may still use it. */
static void keep_old(world* w, named** among, void* old) {
    if (old == NULL) return;
    named* const kept = take(&w->memory, sizeof *kept);
    kept->thing = old;
    kept->next = *among;
    *among = kept;
}

/* ---- guards of keys ---- */

typedef struct keyed_of {
    world* world; /* first: see count_data */
    steptree_text name;
    const steptree_value* given;
} keyed_of;

static const steptree_error* fill_key(steptree_text key, steptree_guard_options* options,
                                      void* data) {
    const keyed_of* const of = data;
    arena* const memory = &of->world->memory;
    write_line(of->world, joined(memory, joined(memory, of->name, " makes ", key), "", text("")));
    fill(of->world, options, of->given);
    return NULL;
}

static const steptree_error* make_keyed(world* w, steptree_text name, const steptree_value* given) {
    const steptree_entry* const kind = &map_of(given).entries[0];
    steptree_keyed* made = NULL;
    keyed_of* const of = take(&w->memory, sizeof *of);
    void* data;
    void (*drop)(void*);
    of->world = w;
    of->name = name;
    of->given = &kind->value;
    count_data(w, &data, &drop, of);
    const steptree_error* const error =
        api->guard->make_keyed(kind_of(text_in(&kind->key)), &fill_key, data, drop, &made);
    if (error == NULL) keep_old(w, &w->old_keyed, set_named(w, &w->keyed, name, made));
    return error;
}

/* ---- a user's own ---- */

typedef struct custom {
    world* world; /* first: see count_data */
    coded *lock, *unlock;
} custom;

static const steptree_error* lock(steptree_step* asi, const steptree_args* args, void* data) {
    const custom* const of = data;
    (void)args;
    write_line(of->world, joined(&of->world->memory, of->lock->id, "+", text("")));
    return run_silently(of->lock, asi);
}

static const steptree_error* unlock(steptree_step* asi, const steptree_outcome* outcome,
                                    void* data) {
    const custom* const of = data;
    buffer told = {NULL, 0, 0};
    write_line(of->world, joined(&of->world->memory, of->unlock->id, "-", text("")));
    put_outcome(&told, outcome);
    context here = {NULL, {NULL, 0}, 0, 0, {NULL, 0}};
    here.asi = asi;
    here.id = of->unlock->id;
    here.outcome.data = told.data;
    here.outcome.size = told.size;
    const left how = perform(of->world, &here, of->unlock->actions, 0);
    free(told.data);
    return how.how == THROWN ? how.error : NULL;
}

static const steptree_error* make_custom(world* w, const steptree_value* given, steptree_text name,
                                         steptree_guard** into) {
    steptree_custom_guard made = {sizeof made, 0, &lock, &unlock, NULL, NULL};
    custom* const of = take(&w->memory, sizeof *of);
    of->world = w;
    of->lock = code_of(w, name, part(given, "lock"));
    of->unlock = code_of(w, name, part(given, "unlock"));
    count_data(w, &made.data, &made.drop, of);
    return api->guard->make_custom(&made, into);
}

/* ---- all of them ---- */

/* The name of the one key that says what is made. */
static const steptree_entry* description_in(const steptree_value* given) {
    const steptree_map map = map_of(given);
    for (size_t i = 0; i < map.count; ++i) {
        const steptree_text key = text_in(&map.entries[i].key);
        if (kind_of(key) != 0 || same_text(key, "keyed") || same_text(key, "custom")) {
            return &map.entries[i];
        }
    }
    return &map.entries[0];
}

const steptree_error* make_guard(world* w, steptree_text name, const steptree_value* given) {
    const steptree_entry* const of = description_in(given);
    const steptree_text kind = text_in(&of->key);
    const steptree_error* error;
    steptree_guard* made = NULL;
    name = copy_text(&w->memory, name.data, name.size);
    if (same_text(kind, "keyed")) return make_keyed(w, name, &of->value);
    if (same_text(kind, "custom")) {
        error = make_custom(w, &of->value, name, &made);
    } else {
        steptree_guard_options options = {0};
        options.size = sizeof options;
        options.kind = kind_of(kind);
        fill(w, &options, &of->value);
        error = api->guard->make(&options, &made);
    }
    if (error == NULL) keep_old(w, &w->old_guards, set_named(w, &w->guards, name, made));
    return error;
}

const steptree_error* make_channel(world* w, steptree_text name, const steptree_value* given) {
    steptree_channel_options options = {sizeof options, 0, 0, {NULL, 0}};
    steptree_channel* made = NULL;
    options.capacity = limit_of(given, "capacity", 0);
    options.name = text_of(given, "name");
    const steptree_error* const error = api->channel->make(&options, &made);
    if (error == NULL) keep_old(w, &w->old_channels, set_named(w, &w->channels, name, made));
    return error;
}

/* A name may end with the side of an rwlock. */
static steptree_guard* guard_called(world* w, steptree_text name) {
    steptree_guard* const whole = find(w->guards, name);
    if (whole != NULL) return whole;
    for (size_t i = 0; i < name.size; ++i) {
        if (name.data[i] != '.') continue;
        const steptree_text lock = {name.data, i};
        const steptree_text side = {name.data + i, name.size - i};
        steptree_guard* const of = find(w->guards, lock);
        steptree_guard* inner = NULL;
        if (of == NULL) break;
        if (same_text(side, ".read")) {
            api->guard->read_side(of, &inner);
        } else {
            api->guard->write_side(of, &inner);
        }
        return inner;
    }
    return found(w, w->guards, name);
}

const steptree_error* guard_of(world* w, const steptree_value* form, steptree_guard** into) {
    *into = guard_called(w, text_of(form, "guard"));
    if (part(form, "places") == NULL) return NULL;
    return api->guard->places(*into, limit_of(form, "places", 1), into);
}

static void put_count(buffer* to, const char* what, int64_t count) {
    if (count < 0) return;
    put(to, what);
    if (count == INT64_MAX) {
        put(to, "Infinity");
    } else {
        put_int(to, count);
    }
}

static void put_reading(buffer* to, const steptree_guard_reading* of) {
    static const char* const kStates[] = {"", " state=closed", " state=open", " state=halfOpen"};
    put_count(to, " waiting=", of->waiting);
    put_count(to, " active=", of->active);
    put_count(to, " available=", of->available);
    put(to, kStates[of->state]);
}

void log_guard(world* w, const steptree_value* action) {
    const steptree_text name = text_of(action, "readGuard");
    steptree_keyed* const keyed = find(w->keyed, name);
    steptree_guard_reading read = {0};
    buffer line = {NULL, 0, 0};
    read.size = sizeof read;
    put_text(&line, name);
    if (keyed == NULL) {
        api->guard->read(guard_called(w, name), &read);
        put_reading(&line, &read);
    } else if (part(action, "key") != NULL) {
        int32_t has = 0;
        put(&line, " ");
        put_text(&line, text_of(action, "key"));
        api->guard->read_key(keyed, text_of(action, "key"), &read, &has);
        if (has) put_reading(&line, &read);
    } else {
        int64_t size = 0;
        api->guard->keyed_size(keyed, &size);
        put_count(&line, " size=", size);
    }
    write_buffer(w, &line);
}
