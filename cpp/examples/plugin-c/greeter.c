/* Business logic in C that knows nothing of its host: no tool, no loop, no library to link to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

static const steptree_api* api;

uint32_t plugin_abi(void) {
#ifdef BUILT_FOR_ANOTHER_ABI
    return STEPTREE_ABI + 0x10000;
#else
    return STEPTREE_ABI;
#endif
}

static steptree_value text_of(const char* text, size_t size) {
    steptree_value value = {0};
    value.type = STEPTREE_STRING;
    value.as.text.data = text;
    value.as.text.size = size;
    return value;
}

/* The greeting of a run: its steps share it, and the last one drops it. */
typedef struct greeting {
    char text[100];
    size_t size;
} greeting;

static const steptree_error* hesitate(steptree_step* asi, steptree_state* state) {
    steptree_value given;
    const steptree_definition* delay = NULL;
    const steptree_error* error = api->state->get(state, STEPTREE_TEXT("hesitate"), &given);
    if (error != NULL || given.type != STEPTREE_INT64) return error;
    error = api->define->delay((double)given.as.integer, &delay);
    if (error != NULL) return error;
    error = api->add->value(STEPTREE_ADDER(asi), delay, NULL, STEPTREE_NO_TEXT);
    api->define->drop(delay);
    return error;
}

static const steptree_error* greet(steptree_step* asi, const steptree_args* args, void* data) {
    steptree_state* state = NULL;
    steptree_value name;
    char text[80];
    const steptree_error* error = api->step->state(asi, &state);
    (void)args;
    (void)data;
    if (error == NULL) error = api->state->get(state, STEPTREE_TEXT("name"), &name);
    if (error != NULL) return error;
    if (name.type != STEPTREE_STRING || name.as.text.size == 0) {
        return api->step->error(asi, STEPTREE_TEXT("NoName"), STEPTREE_TEXT("nobody to greet"));
    }
    snprintf(text, sizeof text, "Hello, %.*s", (int)name.as.text.size, name.as.text.data);
    error = hesitate(asi, state);
    if (error != NULL) return error;
    const steptree_value greeted = text_of(text, strlen(text));
    return api->add->success(STEPTREE_ADDER(asi), &greeted, 1);
}

static const steptree_error* greet_anyway(steptree_step* asi, steptree_text code, void* data) {
    static const char kAnyway[] = "Hello, whoever you are";
    const steptree_value greeted = text_of(kAnyway, sizeof kAnyway - 1);
    (void)data;
    if (code.size != 6 || memcmp(code.data, "NoName", 6) != 0) return NULL;
    return api->step->success(asi, &greeted, 1);
}

static const steptree_error* mark(steptree_step* asi, const steptree_args* args, void* data) {
    greeting* const of = data;
    (void)asi;
    (void)args;
    if (of->size < sizeof of->text) of->text[of->size++] = '!';
    return NULL;
}

static const steptree_error* give(steptree_step* asi, const steptree_args* args, void* data) {
    const greeting* const of = data;
    const steptree_value given = text_of(of->text, of->size);
    (void)args;
    return api->step->success(asi, &given, 1);
}

static const steptree_error* add_marks(steptree_step* asi, const steptree_args* args, void* data) {
    greeting* const of = malloc(sizeof *of);
    if (of == NULL) return api->step->error(asi, STEPTREE_TEXT("NoMemory"), STEPTREE_NO_TEXT);
    const steptree_closure marks = {&mark, of, NULL, NULL, NULL};
    const steptree_closure last = {&give, of, &free, NULL, NULL};
    const steptree_text text = args->values[0].as.text;
    (void)data;
    of->size = text.size < sizeof of->text ? text.size : sizeof of->text;
    memcpy(of->text, text.data, of->size);
    const steptree_error* const error =
        api->add->repeat(STEPTREE_ADDER(asi), 3, &marks, STEPTREE_NO_TEXT);
    if (error == NULL) return api->add->step(STEPTREE_ADDER(asi), &last);
    free(of);
    return error;
}

const steptree_error* plugin_body(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_closure greets = {&greet, NULL, NULL, &greet_anyway, NULL};
    const steptree_closure marks = {&add_marks, NULL, NULL, NULL, NULL};
    (void)args;
    api = data;
    const steptree_error* const error = api->add->step(STEPTREE_ADDER(asi), &greets);
    if (error != NULL) return error;
    return api->add->step(STEPTREE_ADDER(asi), &marks);
}
