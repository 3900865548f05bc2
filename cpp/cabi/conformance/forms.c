#include "forms.h"

#include <math.h>
#include <string.h>

static const char* const kForms[] = {
    "step", "steps", "loop", "repeat", "forEach", "map",   "all",         "parallel", "race",
    "any",  "await", "sync", "shield", "delay",   "retry", "successStep", "hedge",    "wrapped"};
/* Those without a call of their own. */
static const char* const kValues[] = {"steps", "all",   "race",   "any",   "map",
                                      "retry", "hedge", "shield", "delay", "wrapped"};

static int is_one_of(const char* const* names, size_t count, steptree_text kind) {
    for (size_t i = 0; i < count; ++i) {
        if (same_text(kind, names[i])) return 1;
    }
    return 0;
}

int is_form(const steptree_value* action) {
    if (action->tag == STEPTREE_STRING) return is_text(action, "relinquish");
    return is_one_of(kForms, sizeof kForms / sizeof *kForms, name_of(action));
}

int64_t times_of(const steptree_value* form) {
    const double times = number_in(part(form, "times"));
    return floor(times) == times ? (int64_t)times : -1;
}

/* ---- collections ---- */

static steptree_value characters_of(world* w, steptree_text given) {
    steptree_value made = {0};
    steptree_value* const items = take(&w->memory, (given.size + 1) * sizeof *items);
    size_t count = 0;
    for (size_t at = 0; at < given.size; ++count) {
        size_t size = 1;
        while (at + size < given.size && ((unsigned char)given.data[at + size] & 0xc0) == 0x80)
            ++size;
        const steptree_text character = {given.data + at, size};
        items[count] = of_text(character);
        at += size;
    }
    made.tag = STEPTREE_LIST;
    made.of.list.items = items;
    made.of.list.count = count;
    return made;
}

steptree_value collection_of(world* w, const steptree_value* of) {
    const steptree_value nothing = {0};
    const steptree_value* const entries = part(of, "map");
    if (of->tag == STEPTREE_STRING) return characters_of(w, of->of.text);
    if (of->tag == STEPTREE_MAP && entries != NULL && entries->tag == STEPTREE_LIST) {
        const steptree_list pairs = list_of(entries);
        steptree_entry* const made = take(&w->memory, (pairs.count + 1) * sizeof *made);
        for (size_t i = 0; i < pairs.count; ++i) {
            made[i].key = list_of(&pairs.items[i]).items[0];
            made[i].value = list_of(&pairs.items[i]).items[1];
        }
        steptree_value map = {0};
        map.tag = STEPTREE_MAP;
        map.of.map.entries = made;
        map.of.map.count = pairs.count;
        return map;
    }
    return of->tag == STEPTREE_LIST || of->tag == STEPTREE_MAP ? *of : nothing;
}

/* ---- adding ---- */

static const steptree_error* add_step(world* w, target to, const steptree_value* form) {
    const steptree_closure closure = closure_of(code_in(w, form));
    const steptree_text name = text_of(form, "name");
    if (name.size != 0) return api->add->named_step(to.to, &closure, name);
    return api->add->step(to.to, &closure);
}

static const steptree_error* add_round(world* w, target to, const steptree_value* form,
                                       steptree_text kind) {
    const steptree_text label = text_of(form, "label");
    steptree_closure closure;
    const steptree_error* error = closure_in(w, form, 0, 0, &closure);
    if (error != NULL) return error;
    if (same_text(kind, "loop")) {
        error = api->add->repeat_until_break(to.to, &closure, label);
    } else if (same_text(kind, "repeat")) {
        error = api->add->repeat(to.to, times_of(form), &closure, label);
    } else if (part(form, "from") != NULL) {
        steptree_channel* const channel = found(w, w->channels, text_of(form, "from"));
        error = api->add->for_each_of(to.to, channel, &closure, label);
    } else {
        const steptree_value collection = collection_of(w, part(form, "of"));
        error = api->add->for_each(to.to, &collection, &closure, label);
    }
    drop_value(&closure);
    return error;
}

static const steptree_error* add_await(world* w, target to, const steptree_value* form) {
    steptree_closure closure = {0};
    if (part(form, "catch") != NULL) {
        closure = handler_of(w, text_of(form, "await"), part(form, "catch"));
    }
    if (part(form, "flow") != NULL) {
        return api->add->await_flow(to.to, flow_of(w, text_of(form, "flow")), &closure);
    }
    const steptree_awaitable awaitable = awaitable_of(promise_of(w, text_of(form, "on")));
    return api->add->await_operation(to.to, &awaitable, &closure);
}

static const steptree_error* add_sync(world* w, target to, const steptree_value* form) {
    steptree_closure closure;
    const steptree_error* error = closure_in(w, form, 1, 1, &closure);
    if (error != NULL) return error;
    if (part(form, "key") != NULL) {
        steptree_keyed* const keyed = found(w, w->keyed, text_of(form, "guard"));
        error = api->add->sync_key(to.to, keyed, text_of(form, "key"), &closure);
    } else {
        steptree_guard* guard = NULL;
        error = guard_of(w, form, &guard);
        if (error == NULL) {
            error = api->add->sync(to.to, guard, &closure);
        } else if (closure.drop != NULL) {
            closure.drop(closure.data);
        }
    }
    drop_value(&closure);
    return error;
}

static const steptree_error* add_parallel(world* w, target to, const steptree_value* form) {
    const steptree_text name = text_of(form, "name");
    steptree_closure closure = {0};
    target branches = {NULL, NULL, NULL};
    if (part(form, "catch") != NULL) {
        closure = handler_of(w, text_of(form, "parallel"), part(form, "catch"));
    }
    const steptree_error* const error =
        to.asi != NULL ? api->step->parallel(to.asi, &closure, name, &branches.to)
                       : api->flow->parallel(to.flow, &closure, name, &branches.to);
    return error != NULL ? error : add_forms(w, branches, part(form, "branches"));
}

int is_elsewhere(world* w, const steptree_value* form) {
    return w->elsewhere != NULL && is_text(part(form, "name"), "js");
}

static const steptree_error* add_value(world* w, target to, const steptree_value* form) {
    const steptree_definition* value = NULL;
    const steptree_error* error = value_of(w, form, &value);
    if (error != NULL) return error;
    error = api->add->value(to.to, value, NULL, STEPTREE_NO_TEXT);
    api->define->drop(value);
    return error;
}

const steptree_error* add_form(world* w, target to, const steptree_value* form) {
    const steptree_text kind = name_of(form);
    if (is_elsewhere(w, form)) return add_value(w, to, form);
    if (form->tag == STEPTREE_STRING) return api->add->relinquish(to.to);
    if (is_one_of(kValues, sizeof kValues / sizeof *kValues, kind)) return add_value(w, to, form);
    if (same_text(kind, "step")) return add_step(w, to, form);
    if (same_text(kind, "sync")) return add_sync(w, to, form);
    if (same_text(kind, "await")) return add_await(w, to, form);
    if (same_text(kind, "parallel")) return add_parallel(w, to, form);
    if (same_text(kind, "successStep")) {
        const steptree_list values = list_of(part(form, "successStep"));
        return api->add->success(to.to, values.items, values.count);
    }
    return add_round(w, to, form, kind);
}

const steptree_error* add_forms(world* w, target to, const steptree_value* forms) {
    const steptree_list list = list_of(forms);
    for (size_t i = 0; i < list.count; ++i) {
        const steptree_error* const error = add_form(w, to, &list.items[i]);
        if (error != NULL) return error;
    }
    return NULL;
}
