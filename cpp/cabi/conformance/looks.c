#include <stdlib.h>
#include <string.h>

#include "actions.h"

/* Snapshots, events and recordings as lines of the trace. */

static void put_titled(buffer* to, steptree_text kind, steptree_text name) {
    put_text(to, kind);
    if (name.size == 0) return;
    put(to, " ");
    put_quoted(to, name);
}

static void put_wait(buffer* to, const steptree_value* wait) {
    const steptree_text what = text_of(wait, "for");
    const steptree_text kind = text_of(wait, "kind");
    const steptree_value* const ms = part(wait, "ms");
    const steptree_value* const place = part(wait, "place");
    put_text(to, what);
    if (same_text(what, "timer")) {
        put(to, " ");
        if (ms == NULL) {
            put(to, "Infinity");
        } else {
            put_json(to, ms);
        }
        return;
    }
    if (kind.size != 0) put(to, " ");
    put_titled(to, kind, text_of(wait, "name"));
    if (place == NULL || same_text(what, "send") || same_text(what, "receive")) return;
    put(to, " ");
    put_json(to, place);
}

static void put_field(buffer* to, const char* what, const steptree_value* number) {
    if (number == NULL) return;
    put(to, what);
    put_json(to, number);
}

static steptree_text path_in(world* w, const steptree_value* line, steptree_text above) {
    const steptree_list steps = list_of(part(line, "steps"));
    for (size_t i = 0; i < steps.count; ++i) {
        const steptree_text element = text_of(&steps.items[i], "element");
        if (element.size == 0) continue;
        above = joined(&w->memory, above, above.size == 0 ? "" : "/", element);
    }
    return above;
}

static void log_line(world* w, const steptree_value* line, steptree_text name,
                     steptree_text above) {
    const steptree_text path = path_in(w, line, above);
    const steptree_value* const waits = part(line, "waits");
    const steptree_list steps = list_of(part(line, "steps"));
    const steptree_list lines = list_of(part(line, "lines"));
    if (waits != NULL) {
        buffer told = {NULL, 0, 0};
        put_text(&told, name);
        if (path.size != 0) put(&told, name.size == 0 ? "" : " ");
        put_text(&told, path);
        if (steps.count != 0) {
            const steptree_value* const last = &steps.items[steps.count - 1];
            put(&told, told.size == 0 ? "" : " ");
            put_text(&told, text_of(last, "kind"));
            put_field(&told, " timeout=", part(last, "timeout"));
        }
        put(&told, ": ");
        put_wait(&told, waits);
        write_buffer(w, &told);
    }
    for (size_t i = 0; i < lines.count; ++i) log_line(w, &lines.items[i], name, path);
}

/* Whether a signal that the case knows ends it. */
static int listens(const world* w, const steptree_value* flow) {
    if (!is_true(part(flow, "signal"))) return 0;
    for (size_t i = 0; i < w->ended_count; ++i) {
        if (w->ended_here[i] == (uint64_t)part(flow, "id")->of.integer) return 0;
    }
    return 1;
}

static void log_flow(world* w, const steptree_value* flow) {
    const steptree_text name = text_of(flow, "name");
    buffer told = {NULL, 0, 0};
    put_text(&told, name);
    put(&told, " ");
    put_text(&told, text_of(flow, "state"));
    if (listens(w, flow)) put(&told, " signal");
    put_field(&told, " deadline=", part(flow, "deadline"));
    write_buffer(w, &told);
    if (part(flow, "line") != NULL) log_line(w, part(flow, "line"), name, text(""));
}

static steptree_text name_of_flow(const steptree_list flows, const steptree_value* id) {
    for (size_t i = 0; i < flows.count; ++i) {
        if (part(&flows.items[i], "id")->of.integer == id->of.integer) {
            return text_of(&flows.items[i], "name");
        }
    }
    return text("");
}

static void log_guard_of(world* w, const steptree_value* guard, const steptree_list flows) {
    const steptree_list holders = list_of(part(guard, "holders"));
    buffer told = {NULL, 0, 0};
    put_titled(&told, text_of(guard, "kind"), text_of(guard, "name"));
    put_field(&told, " waiting=", part(guard, "waiting"));
    put_field(&told, " active=", part(guard, "active"));
    put_field(&told, " available=", part(guard, "available"));
    for (size_t i = 0; i < holders.count; ++i) {
        const steptree_text name = name_of_flow(flows, part(&holders.items[i], "flow"));
        const steptree_text path = text_of(&holders.items[i], "path");
        put(&told, i == 0 ? " held=" : ",");
        put_text(&told, name);
        if (name.size != 0 && path.size != 0) put(&told, " ");
        put_text(&told, path);
    }
    write_buffer(w, &told);
}

left look(world* w, const steptree_value* action) {
    const steptree_value* const of = part(action, "snapshot");
    steptree_value seen = {0};
    const steptree_error* const error = of->tag == STEPTREE_STRING
                                            ? api->flow->snapshot(flow_of(w, of->of.text), &seen)
                                            : api->tool->snapshot(w->tool, &seen);
    if (error != NULL) return called(error);
    if (of->tag == STEPTREE_STRING) {
        log_flow(w, &seen);
    } else {
        const steptree_list flows = list_of(part(&seen, "flows"));
        const steptree_list guards = list_of(part(&seen, "guards"));
        for (size_t i = 0; i < flows.count; ++i) log_flow(w, &flows.items[i]);
        for (size_t i = 0; i < guards.count; ++i) log_guard_of(w, &guards.items[i], flows);
    }
    api->value->drop(&seen);
    return goes_on;
}

/* ---- events ---- */

typedef struct observing {
    world* world; /* first: see count_data */
    int64_t count, cancel_at;
} observing;

static void put_word(buffer* to, steptree_text word) {
    if (word.size == 0) return;
    if (to->size != 0) put(to, " ");
    put_text(to, word);
}

static void note(const steptree_event* event, void* data) {
    observing* const of = data;
    buffer line = {NULL, 0, 0};
    put(&line, "");
    put_word(&line, event->flow_name);
    put_word(&line, event->path);
    put_word(&line, event->what);
    if (same_text(event->what, "opened")) {
        put_word(&line, event->kind);
    } else if (same_text(event->what, "handler")) {
        put_word(&line, event->code);
    } else if (event->waits != NULL) {
        if (line.size != 0) put(&line, " ");
        put_wait(&line, event->waits);
    } else {
        put_word(&line, event->outcome);
        put_word(&line, event->code);
    }
    write_buffer(of->world, &line);
    steptree_flow* const flow = find(of->world->flows, event->flow_name);
    if (++of->count == of->cancel_at && flow != NULL) api->flow->cancel(flow, STEPTREE_NO_TEXT);
}

left observe(world* w, const steptree_value* action) {
    const steptree_value* const how = part(action, "observe");
    const steptree_value* const cancel_at = part(action, "cancelAt");
    void* data;
    void (*drop)(void*);
    api->handle->drop(w->watching);
    w->watching = NULL;
    if (how->tag == STEPTREE_BOOL && !is_true(how)) return goes_on;
    observing* const of = take(&w->memory, sizeof *of);
    of->world = w;
    of->cancel_at = cancel_at == NULL ? 0 : cancel_at->of.integer;
    count_data(w, &data, &drop, of);
    return called(
        api->observe->observe(w->tool, &note, data, drop, is_text(how, "bodies"), &w->watching));
}

/* ---- recordings ---- */

left make_recorder(world* w, const steptree_value* action) {
    const steptree_value* const events = part(action, "events");
    steptree_recorder* made = NULL;
    const steptree_error* const error =
        api->observe->make_recorder(w->tool, events == NULL ? 4096 : (uint64_t)number_in(events),
                                    is_true(part(action, "bodies")), &made);
    if (error != NULL) return called(error);
    api->observe->drop_recorder(set_named(w, &w->recorders, text_of(action, "makeRecorder"), made));
    return goes_on;
}

/* Flows have other numbers in other processes: `5 flow 3 "main" …` is `5 main …`. */
static void log_recorded(world* w, steptree_text name, const char* line, size_t size) {
    static const char kFlow[] = "flow ";
    const char* const end = line + size;
    const char* at = memchr(line, ' ', size);
    buffer told = {NULL, 0, 0};
    put_text(&told, name);
    put(&told, ": ");
    if (at == NULL || (size_t)(end - at) < sizeof kFlow) {
        set_fault(w, "no flow in a recording of ", name);
        free(told.data);
        return;
    }
    ++at;
    put_bytes(&told, line, (size_t)(at - line));
    at += sizeof kFlow - 1;
    while (at < end && *at >= '0' && *at <= '9') ++at;
    if (end - at > 1 && at[0] == ' ' && at[1] == '"') {
        const char* const quoted = at + 1;
        const char* last = quoted + 1;
        while (last < end && *last != '"') last += *last == '\\' ? 2 : 1;
        steptree_value read = {0};
        parse_json(&w->memory, quoted, (size_t)(last + 1 - quoted), &read);
        put_text(&told, text_in(&read));
        at = last + 1;
    } else {
        put(&told, "-");
    }
    put_bytes(&told, at, (size_t)(end - at));
    write_buffer(w, &told);
}

left log_recording(world* w, steptree_text name) {
    steptree_value recorded = {0};
    const steptree_error* const error = api->observe->text(found(w, w->recorders, name), &recorded);
    if (error != NULL) return called(error);
    const steptree_text all = recorded.of.text;
    if (all.size == 0) write_line(w, joined(&w->memory, name, ": -", text("")));
    for (size_t at = 0; at < all.size;) {
        const char* const first = all.data + at;
        const char* const end = memchr(first, '\n', all.size - at);
        const size_t size = end == NULL ? all.size - at : (size_t)(end - first);
        log_recorded(w, name, first, size);
        at += size + 1;
    }
    api->value->drop(&recorded);
    return goes_on;
}

/* ---- stalls ---- */

left watch_stalls(world* w, const steptree_value* wait) {
    steptree_stall_options options = {0};
    api->handle->drop(w->stalls);
    w->stalls = NULL;
    if (wait->tag == STEPTREE_BOOL) return goes_on;
    options.size = sizeof options;
    options.given = STEPTREE_GIVEN_WAIT;
    options.wait = number_in(wait);
    return called(api->observe->watch_stalls(w->tool, &options, &w->stalls));
}
