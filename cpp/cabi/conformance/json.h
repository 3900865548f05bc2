/* JSON as values of the C interface, and back. */
#ifndef CONFORMANCE_JSON_H
#define CONFORMANCE_JSON_H

#include <stdarg.h>

#include "steptree/steptree.h"

/* Memory of one case: all of it goes at once. */
typedef struct arena {
    struct arena_block* blocks;
} arena;

void* take(arena* of, size_t size);
void arena_free(arena* of);

/* Text that grows. */
typedef struct buffer {
    char* data;
    size_t size;
    size_t room;
} buffer;

void put_bytes(buffer* to, const char* data, size_t size);
void put(buffer* to, const char* text);
void put_text(buffer* to, steptree_text text);
void put_int(buffer* to, int64_t number);
/* As JSON, without spaces. */
void put_json(buffer* to, const steptree_value* value);
void put_quoted(buffer* to, steptree_text text);

/* The value that a line of JSON has; 0: it has none. */
int parse_json(arena* of, const char* text, size_t size, steptree_value* into);

/* A part of a program; null if it is left out. */
const steptree_value* part(const steptree_value* of, const char* key);
const steptree_value* part_of_text(const steptree_value* of, steptree_text key);
/* Of a list; an empty one of anything else. */
steptree_list list_of(const steptree_value* value);
steptree_map map_of(const steptree_value* value);
int is_text(const steptree_value* value, const char* text);
int same_text(steptree_text one, const char* other);
int equal_texts(steptree_text one, steptree_text other);
/* Text that may be left out. */
steptree_text text_of(const steptree_value* of, const char* key);
steptree_text text_in(const steptree_value* value);
/* A number, or one that JSON can't write. */
double number_in(const steptree_value* value);
int is_true(const steptree_value* value);
int is_number(const steptree_value* value);

steptree_text text(const char* literal);
steptree_text copy_text(arena* of, const char* data, size_t size);
/* Parts one behind the other. */
steptree_text joined(arena* of, steptree_text one, const char* between, steptree_text other);

steptree_value of_text(steptree_text given);
steptree_value of_int(int64_t number);

#endif
