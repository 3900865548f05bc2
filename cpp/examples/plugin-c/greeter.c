/* The greeter in C: it knows nothing of its host, and links to nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steptree/steptree.h"

static const steptree_api* api;

/* What the steps of a call share: the last of them has it dropped. */
typedef struct call {
    char text[100];
    double hesitate;
} call;

static const steptree_error* give(steptree_adder* to, const char* text) {
    steptree_value value = {0};
    value.tag = STEPTREE_STRING;
    value.of.text.data = text;
    value.of.text.size = strlen(text);
    return api->add->success(to, &value, 1);
}

static const steptree_error* hesitate(steptree_adder* to, double ms) {
    const steptree_definition* delay = NULL;
    const steptree_error* error = api->define->delay(ms, &delay);
    if (error != NULL) return error;
    error = api->add->value(to, delay, NULL, STEPTREE_NO_TEXT);
    api->define->drop(delay);
    return error;
}

static const steptree_error* say_hello(steptree_step* asi, const steptree_args* args, void* data) {
    const call* const of = data;
    char greeting[120];
    (void)args;
    if (of->text[0] == 0) {
        return api->step->error(asi, STEPTREE_TEXT("NoName"), STEPTREE_TEXT("nobody to greet"));
    }
    const steptree_error* const error = hesitate(STEPTREE_ADDER(asi), of->hesitate);
    if (error != NULL) return error;
    snprintf(greeting, sizeof greeting, "Hello, %s", of->text);
    return give(STEPTREE_ADDER(asi), greeting);
}

static const steptree_error* say_it_anyway(steptree_step* asi, steptree_text code, void* data) {
    (void)data;
    if (code.size != 6 || memcmp(code.data, "NoName", 6) != 0) return NULL;
    return give(STEPTREE_ADDER(asi), "Hello, whoever you are");
}

static const steptree_error* add_marks(steptree_step* asi, const steptree_args* args, void* data) {
    const steptree_text greeting = args->values[0].of.text;
    char marked[128];
    (void)data;
    snprintf(marked, sizeof marked, "%.*s!!!", (int)greeting.size, greeting.data);
    return give(STEPTREE_ADDER(asi), marked);
}

static const steptree_error* greet(steptree_step* asi, const steptree_args* args, void* data) {
    call* const of = calloc(1, sizeof *of);
    if (of == NULL) return api->step->error(asi, STEPTREE_TEXT("NoMemory"), STEPTREE_NO_TEXT);
    const steptree_closure hello = {&say_hello, of, &free, &say_it_anyway, NULL};
    const steptree_closure marks = {&add_marks, NULL, NULL, NULL, NULL};
    const steptree_value* const name = &args->values[0];
    (void)data;
    if (name->tag == STEPTREE_STRING) {
        snprintf(of->text, sizeof of->text, "%.*s", (int)name->of.text.size, name->of.text.data);
    }
    if (args->count > 1 && args->values[1].tag == STEPTREE_INT64) {
        of->hesitate = (double)args->values[1].of.integer;
    }
    const steptree_error* const error = api->add->step(STEPTREE_ADDER(asi), &hello);
    if (error != NULL) return error;
    return api->add->step(STEPTREE_ADDER(asi), &marks);
}

/* The host knows the word for each language: a service, whose step value is kept. */
static const steptree_definition* greeting_for;

static const steptree_error* say_word(steptree_step* asi, const steptree_args* args, void* data) {
    const call* const of = data;
    const steptree_text word = args->values[0].of.text;
    char greeting[160];
    snprintf(greeting, sizeof greeting, "%.*s, %s!!!", (int)word.size, word.data, of->text);
    return give(STEPTREE_ADDER(asi), greeting);
}

static const steptree_error* welcome(steptree_step* asi, const steptree_args* args, void* data) {
    call* const of = calloc(1, sizeof *of);
    if (of == NULL) return api->step->error(asi, STEPTREE_TEXT("NoMemory"), STEPTREE_NO_TEXT);
    const steptree_closure say = {&say_word, of, &free, NULL, NULL};
    const steptree_text name = args->values[0].of.text;
    const steptree_error* error;
    (void)data;
    snprintf(of->text, sizeof of->text, "%.*s", (int)name.size, name.data);
    error = api->add->success(STEPTREE_ADDER(asi), &args->values[1], 1);
    if (error == NULL) {
        error = api->add->value(STEPTREE_ADDER(asi), greeting_for, NULL, STEPTREE_NO_TEXT);
    }
    if (error == NULL) return api->add->step(STEPTREE_ADDER(asi), &say);
    free(of);
    return error;
}

static const steptree_error* start(const steptree_api* given, steptree_plugin_host* host,
                                   void* data) {
    (void)data;
    api = given;
    return api->host->service(host, STEPTREE_TEXT("greeting.for"), &greeting_for);
}
static void stop(void* data) {
    (void)data;
    api->define->drop(greeting_for);
}

#ifdef BUILT_FOR_ANOTHER_ABI
#undef STEPTREE_ABI
#define STEPTREE_ABI UINT32_C(0x00020000)
#endif

static const steptree_plugin_handler handlers[] = {
    STEPTREE_HANDLER("greet", "says hello to a name, after so many milliseconds", 1, 2, &greet),
    STEPTREE_HANDLER("welcome", "greets a name in a language", 2, 2, &welcome),
};
STEPTREE_PLUGIN("greeter", "1.0.0 in C", handlers, &start, &stop)
