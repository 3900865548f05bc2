/* Tests in C: a test is a function, a check that fails says where. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <stdio.h>
#include <string.h>

#include "steptree/steptree.h"

extern const steptree_api* api;
extern int failures, tests;

#define CHECK(condition)                                                             \
    do {                                                                             \
        if (!(condition)) {                                                          \
            ++failures;                                                              \
            fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
        }                                                                            \
    } while (0)

/* A function is a test with a title, by which conformance/proofs.yaml names it. */
#define TEST(title, function)                                              \
    do {                                                                   \
        const int before_ = failures;                                      \
        function();                                                        \
        ++tests;                                                           \
        if (failures != before_) fprintf(stderr, "failed: %s\n", (title)); \
    } while (0)

/* What a step does is told here, and looked at in the end. */
typedef struct story {
    char told[512];
    int dropped;
} story;

static inline void tell(story* of, const char* what) {
    if (of->told[0] != '\0') strncat(of->told, " ", sizeof of->told - strlen(of->told) - 1);
    strncat(of->told, what, sizeof of->told - strlen(of->told) - 1);
}
static inline void drop_story(void* data) {
    ++((story*)data)->dropped;
}
static inline int is(steptree_text text, const char* wanted) {
    return text.size == strlen(wanted) &&
           (text.size == 0 || memcmp(text.data, wanted, text.size) == 0);
}
static inline steptree_value int_value(int64_t number) {
    steptree_value made = {0};
    made.tag = STEPTREE_INT64;
    made.of.integer = number;
    return made;
}
static inline steptree_value text_value(const char* literal) {
    steptree_value made = {0};
    made.tag = STEPTREE_STRING;
    made.of.text.data = literal;
    made.of.text.size = strlen(literal);
    return made;
}
static inline void tell_end(const steptree_outcome* outcome, void* data) {
    static const char* const kKinds[] = {"ok", "error", "cancelled"};
    char code[64];
    tell(data, kKinds[outcome->kind]);
    if (outcome->kind != STEPTREE_ERROR) return;
    snprintf(code, sizeof code, "%.*s", (int)outcome->code.size, outcome->code.data);
    tell(data, code);
}

/* Runs the steps that `fill` adds to a flow, and tells its end. */
void run_flow(story* of, void (*fill)(steptree_adder* to, story* of));

void test_host(void);
void test_steps(void);
void test_values(void);
void test_errors(void);
void test_data(void);
void test_awaiting(void);
void test_layout(void);
void test_threads(void);
void test_looks(void);
void test_edges(void);
void test_sizes(void);
void test_knows(void);
void test_hosting(void);

#endif
