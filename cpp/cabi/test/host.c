#include "check.h"

/* Whom the table is for, and what is in it. */

static void refuses_another_major_number(void) {
    const char* why = NULL;
    CHECK(steptree_host(0x00020003, &why) == NULL);
    CHECK(why != NULL &&
          strcmp(why, "built for the C interface 2.3 of steptree, this is 1.0") == 0);
    CHECK(steptree_host(0x00020000, NULL) == NULL);
}

static void runs_what_has_another_minor_number(void) {
    CHECK(steptree_host(STEPTREE_ABI + 7, NULL) == api);
    CHECK(steptree_host(STEPTREE_ABI, NULL) == api);
    CHECK(api->version == STEPTREE_ABI);
    CHECK(api->release.size >= 5 && memchr(api->release.data, '.', api->release.size) != NULL);
}

static void says_which_members_a_table_has(void) {
    steptree_step_api older = *api->step;
    CHECK(STEPTREE_HAS(api->step, success));
    CHECK(STEPTREE_HAS(api->step, new_instance));
    CHECK(STEPTREE_HAS(api, observe));
    older.size = (uint32_t)((const char*)&older.wait_external - (const char*)&older);
    CHECK(STEPTREE_HAS(&older, remaining));
    CHECK(!STEPTREE_HAS(&older, wait_external));
    CHECK(!STEPTREE_HAS(&older, new_instance));
}

static void has_every_function(void) {
    const void* const* const tables = (const void* const*)(const void*)&api->error;
    const size_t count = (sizeof *api - offsetof(steptree_api, error)) / sizeof(void*);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t* const table = tables[i];
        const size_t size = table[0];
        for (size_t at = 2 * sizeof(uint32_t); at < size; at += sizeof(void*)) {
            const void* member;
            memcpy(&member, (const char*)tables[i] + at, sizeof member);
            CHECK(member != NULL);
        }
    }
}

void test_host(void) {
    TEST("a program that is built with another major number gets no table, and a sentence",
         refuses_another_major_number);
    TEST("a program that is older or newer by a minor number gets the table",
         runs_what_has_another_minor_number);
    TEST("the size of a table says which members it has", says_which_members_a_table_has);
    TEST("no member of a table is null", has_every_function);
}
