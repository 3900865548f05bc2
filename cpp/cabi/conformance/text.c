#include <errno.h>
#include <stdlib.h>

#include "actions.h"

void put_values(buffer* to, const steptree_value* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        put(to, " ");
        put_json(to, &values[i]);
    }
}

void put_outcome(buffer* to, const steptree_outcome* outcome) {
    if (outcome->kind == STEPTREE_OK) {
        put(to, "ok");
        put_values(to, outcome->values, outcome->count);
    } else if (outcome->kind == STEPTREE_ERROR) {
        put(to, "error ");
        put_text(to, outcome->code);
    } else {
        put(to, "cancelled");
        if (outcome->reason.size != 0) put(to, " ");
        put_text(to, outcome->reason);
    }
}

void write_buffer(world* w, buffer* line) {
    const steptree_text told = {line->data, line->size};
    write_line(w, told);
    free(line->data);
}

/* ---- errors ---- */

int32_t number_of_code(steptree_text code) {
    static const struct {
        const char* name;
        int number;
    } kKnown[] = {
        {"EACCES", EACCES},         {"EAGAIN", EAGAIN},      {"ECONNREFUSED", ECONNREFUSED},
        {"ECONNRESET", ECONNRESET}, {"EEXIST", EEXIST},      {"ENOENT", ENOENT},
        {"EPIPE", EPIPE},           {"ETIMEDOUT", ETIMEDOUT}};
    for (size_t i = 0; i < sizeof kKnown / sizeof *kKnown; ++i) {
        if (same_text(code, kKnown[i].name)) return kKnown[i].number;
    }
    return 0;
}

const steptree_error* foreign_error(const steptree_value* action) {
    const steptree_value* const wrapped = part(action, "cause");
    const steptree_error* const cause = wrapped == NULL ? NULL : foreign_error(wrapped);
    if (cause != NULL) api->error->keep(cause);
    const steptree_error* const made = api->error->of_system(
        number_of_code(text_of(action, "code")), text_of(action, "throw"), cause);
    api->error->drop(cause);
    return made;
}

/* Of those that are left out, how many. What isn't ours stands for itself, but not behind the one
 * of ours that it has become. */
static void put_causes(buffer* to, const steptree_error* error, int is_cause) {
    const steptree_error* const cause = api->error->cause(error);
    if (cause == NULL) return;
    const steptree_text code = api->error->code(cause);
    if (api->error->foreign(cause)) {
        if (is_cause && equal_texts(code, api->error->code(error))) return;
        if (is_cause) put(to, ",");
        put_text(to, code);
        return;
    }
    if (is_cause) put(to, ",");
    put_text(to, code);
    if (same_text(code, "Omitted")) {
        put(to, ": ");
        put_text(to, api->error->info(cause));
    }
    put_causes(to, cause, 1);
}

static void put_quoted_or_none(buffer* to, int is, steptree_text text) {
    if (is) {
        put_quoted(to, text);
    } else {
        put(to, "-");
    }
}

static void put_view(buffer* to, steptree_step* asi, const steptree_value* view) {
    const steptree_error* const error = api->step->last_error(asi);
    if (error == NULL) {
        put(to, is_text(view, "also") ? "[]" : "-");
    } else if (is_text(view, "info")) {
        put_quoted(to, api->error->info(error));
    } else if (is_text(view, "path")) {
        put_text(to, api->error->path(error));
    } else if (is_text(view, "code")) {
        put_text(to, api->error->code(api->step->last_thrown(asi)));
    } else if (is_text(view, "guard")) {
        put_quoted_or_none(to, api->error->refused(error), api->error->guard(error));
    } else if (is_text(view, "retry_after")) {
        if (api->error->retry_after(error) < 0) {
            put(to, "-");
        } else {
            put_int(to, api->error->retry_after(error));
        }
    } else if (is_text(view, "waits")) {
        const steptree_text waits = api->error->waits(error);
        put_quoted_or_none(to, waits.size != 0, waits);
    } else if (is_text(view, "causes")) {
        put(to, "[");
        put_causes(to, error, 0);
        put(to, "]");
    } else if (is_text(view, "cause")) {
        const steptree_error* const cause = api->error->cause(error);
        if (cause == NULL) {
            put(to, "-");
        } else {
            put_text(to, api->error->code(cause));
        }
    } else {
        const steptree_error* other;
        put(to, "[");
        for (size_t i = 0; (other = api->error->also(error, i)) != NULL; ++i) {
            if (i != 0) put(to, ",");
            put_text(to, api->error->code(other));
        }
        put(to, "]");
    }
}

void put_views(buffer* to, steptree_step* asi, const steptree_value* views) {
    const steptree_list list = list_of(views);
    for (size_t i = 0; i < list.count; ++i) {
        if (i != 0) put(to, " ");
        put_text(to, text_in(&list.items[i]));
        put(to, "=");
        put_view(to, asi, &list.items[i]);
    }
}
