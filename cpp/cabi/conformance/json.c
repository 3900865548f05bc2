#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arena_block {
    struct arena_block* next;
    size_t used, room;
} arena_block;

static void* allocated(size_t size) {
    void* const memory = malloc(size);
    if (memory == NULL) abort();
    return memory;
}

void* take(arena* of, size_t size) {
    size = (size + 15) / 16 * 16;
    if (of->blocks == NULL || of->blocks->room - of->blocks->used < size) {
        const size_t room = size > 65536 ? size : 65536;
        arena_block* const made = allocated(sizeof(arena_block) + 16 + room);
        made->next = of->blocks;
        made->used = 0;
        made->room = room;
        of->blocks = made;
    }
    char* const first = (char*)(of->blocks + 1);
    void* const taken = first + (16 - (uintptr_t)first % 16) % 16 + of->blocks->used;
    of->blocks->used += size;
    memset(taken, 0, size);
    return taken;
}

void arena_free(arena* of) {
    while (of->blocks != NULL) {
        arena_block* const gone = of->blocks;
        of->blocks = gone->next;
        free(gone);
    }
}

/* ---- text ---- */

void put_bytes(buffer* to, const char* data, size_t size) {
    if (to->room - to->size < size + 1) {
        to->room = (to->size + size + 1) * 2;
        to->data = realloc(to->data, to->room);
        if (to->data == NULL) abort();
    }
    if (size != 0) memcpy(to->data + to->size, data, size);
    to->size += size;
    to->data[to->size] = '\0';
}

void put(buffer* to, const char* given) {
    put_bytes(to, given, strlen(given));
}
void put_text(buffer* to, steptree_text given) {
    put_bytes(to, given.data, given.size);
}

void put_int(buffer* to, int64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    put(to, digits);
}

/* The shortest that is read as the same number. */
static void put_double(buffer* to, double number) {
    char digits[40];
    if (floor(number) == number && fabs(number) < 1e15) {
        put_int(to, (int64_t)number);
        return;
    }
    for (int precision = 15; precision <= 17; ++precision) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) break;
    }
    put(to, digits);
}

void put_quoted(buffer* to, steptree_text given) {
    put(to, "\"");
    for (size_t i = 0; i < given.size; ++i) {
        const unsigned char at = (unsigned char)given.data[i];
        char escaped[8];
        if (at == '"' || at == '\\') {
            snprintf(escaped, sizeof escaped, "\\%c", at);
        } else if (at == '\n') {
            strcpy(escaped, "\\n");
        } else if (at == '\t') {
            strcpy(escaped, "\\t");
        } else if (at == '\r') {
            strcpy(escaped, "\\r");
        } else if (at < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", at);
        } else {
            put_bytes(to, given.data + i, 1);
            continue;
        }
        put(to, escaped);
    }
    put(to, "\"");
}

void put_json(buffer* to, const steptree_value* value) {
    switch (value->tag) {
        case STEPTREE_BOOL:
            put(to, value->of.boolean != 0 ? "true" : "false");
            return;
        case STEPTREE_INT64:
            put_int(to, value->of.integer);
            return;
        case STEPTREE_DOUBLE:
            put_double(to, value->of.number);
            return;
        case STEPTREE_STRING:
            put_quoted(to, value->of.text);
            return;
        case STEPTREE_LIST:
            put(to, "[");
            for (size_t i = 0; i < value->of.list.count; ++i) {
                if (i != 0) put(to, ",");
                put_json(to, &value->of.list.items[i]);
            }
            put(to, "]");
            return;
        case STEPTREE_MAP:
            put(to, "{");
            for (size_t i = 0; i < value->of.map.count; ++i) {
                if (i != 0) put(to, ",");
                put_json(to, &value->of.map.entries[i].key);
                put(to, ":");
                put_json(to, &value->of.map.entries[i].value);
            }
            put(to, "}");
            return;
        case STEPTREE_OPAQUE:
            put(to, "<");
            put_text(to, value->of.opaque.kind->name);
            put(to, ">");
            return;
        default:
            put(to, "null");
    }
}

/* ---- reading ---- */

typedef struct reader {
    arena* memory;
    const char* at;
    const char* end;
    int bad;
} reader;

static void skip(reader* of) {
    while (of->at < of->end && strchr(" \t\r\n", *of->at) != NULL) ++of->at;
}

static int next_is(reader* of, char wanted) {
    skip(of);
    if (of->at == of->end || *of->at != wanted) return 0;
    ++of->at;
    return 1;
}

static void put_code(buffer* to, unsigned long code) {
    char bytes[4];
    if (code < 0x80) {
        bytes[0] = (char)code;
        put_bytes(to, bytes, 1);
    } else if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
        put_bytes(to, bytes, 2);
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        put_bytes(to, bytes, 3);
    } else {
        bytes[0] = (char)(0xf0 | code >> 18);
        bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[3] = (char)(0x80 | (code & 0x3f));
        put_bytes(to, bytes, 4);
    }
}

static unsigned long read_hex(reader* of) {
    char digits[5] = "";
    if (of->end - of->at < 4) {
        of->bad = 1;
        return 0;
    }
    memcpy(digits, of->at, 4);
    of->at += 4;
    return strtoul(digits, NULL, 16);
}

static void read_escape(reader* of, buffer* to) {
    static const char kNames[] = "nrtbf", kMeant[] = "\n\r\t\b\f";
    const char escaped = *of->at++;
    if (escaped == 'u') {
        unsigned long code = read_hex(of);
        if (code >= 0xd800 && code < 0xdc00 && of->end - of->at > 6 && of->at[1] == 'u') {
            of->at += 2;
            code = 0x10000 + ((code - 0xd800) << 10) + (read_hex(of) - 0xdc00);
        }
        put_code(to, code);
        return;
    }
    const char* const known = strchr(kNames, escaped);
    put_bytes(to, known == NULL ? &escaped : kMeant + (known - kNames), 1);
}

static steptree_text read_text(reader* of) {
    buffer made = {NULL, 0, 0};
    put(&made, "");
    while (of->at < of->end && *of->at != '"') {
        if (*of->at == '\\' && of->at + 1 < of->end) {
            ++of->at;
            read_escape(of, &made);
        } else {
            put_bytes(&made, of->at++, 1);
        }
    }
    if (!next_is(of, '"')) of->bad = 1;
    const steptree_text read = copy_text(of->memory, made.data, made.size);
    free(made.data);
    return read;
}

static steptree_value read_value(reader* of);

static steptree_value read_number(reader* of) {
    steptree_value made = {0};
    char* end = NULL;
    const char* const first = of->at;
    made.tag = STEPTREE_DOUBLE;
    made.of.number = strtod(first, &end);
    if (end == first) of->bad = 1;
    of->at = end;
    for (const char* at = first; at < of->at; ++at) {
        if (strchr(".eE", *at) != NULL) return made;
    }
    return of_int(strtoll(first, NULL, 10));
}

static steptree_value read_list(reader* of) {
    steptree_value made = {0};
    size_t room = 8;
    steptree_value* items = take(of->memory, room * sizeof *items);
    made.tag = STEPTREE_LIST;
    while (!of->bad && !next_is(of, ']')) {
        if (made.of.list.count != 0 && !next_is(of, ',')) of->bad = 1;
        if (made.of.list.count == room) {
            steptree_value* const more = take(of->memory, 2 * room * sizeof *items);
            memcpy(more, items, room * sizeof *items);
            items = more;
            room *= 2;
        }
        items[made.of.list.count++] = read_value(of);
    }
    made.of.list.items = items;
    return made;
}

static steptree_value read_map(reader* of) {
    steptree_value made = {0};
    size_t room = 8;
    steptree_entry* entries = take(of->memory, room * sizeof *entries);
    made.tag = STEPTREE_MAP;
    while (!of->bad && !next_is(of, '}')) {
        if (made.of.map.count != 0 && !next_is(of, ',')) of->bad = 1;
        if (made.of.map.count == room) {
            steptree_entry* const more = take(of->memory, 2 * room * sizeof *entries);
            memcpy(more, entries, room * sizeof *entries);
            entries = more;
            room *= 2;
        }
        steptree_entry* const entry = &entries[made.of.map.count++];
        entry->key = read_value(of);
        if (!next_is(of, ':')) of->bad = 1;
        entry->value = read_value(of);
    }
    made.of.map.entries = entries;
    return made;
}

static int read_word(reader* of, const char* word) {
    const size_t size = strlen(word);
    if ((size_t)(of->end - of->at) < size || memcmp(of->at, word, size) != 0) return 0;
    of->at += size;
    return 1;
}

static steptree_value read_value(reader* of) {
    steptree_value made = {0};
    skip(of);
    if (of->at == of->end) {
        of->bad = 1;
    } else if (next_is(of, '"')) {
        return of_text(read_text(of));
    } else if (next_is(of, '[')) {
        return read_list(of);
    } else if (next_is(of, '{')) {
        return read_map(of);
    } else if (read_word(of, "true") || read_word(of, "false")) {
        made.tag = STEPTREE_BOOL;
        made.of.boolean = of->at[-2] == 'u';
    } else if (!read_word(of, "null")) {
        return read_number(of);
    }
    return made;
}

int parse_json(arena* of, const char* given, size_t size, steptree_value* into) {
    reader read = {of, given, given + size, 0};
    *into = read_value(&read);
    return !read.bad;
}

/* ---- parts ---- */

int equal_texts(steptree_text one, steptree_text other) {
    return one.size == other.size && (one.size == 0 || memcmp(one.data, other.data, one.size) == 0);
}
int same_text(steptree_text one, const char* other) {
    return equal_texts(one, text(other));
}
int is_text(const steptree_value* value, const char* wanted) {
    return value != NULL && value->tag == STEPTREE_STRING && same_text(value->of.text, wanted);
}

const steptree_value* part_of_text(const steptree_value* of, steptree_text key) {
    const steptree_map map = map_of(of);
    for (size_t i = 0; i < map.count; ++i) {
        if (equal_texts(map.entries[i].key.of.text, key)) return &map.entries[i].value;
    }
    return NULL;
}
const steptree_value* part(const steptree_value* of, const char* key) {
    return part_of_text(of, text(key));
}

steptree_list list_of(const steptree_value* value) {
    const steptree_list none = {NULL, 0};
    return value != NULL && value->tag == STEPTREE_LIST ? value->of.list : none;
}
steptree_map map_of(const steptree_value* value) {
    const steptree_map none = {NULL, 0};
    return value != NULL && value->tag == STEPTREE_MAP ? value->of.map : none;
}

steptree_text text_in(const steptree_value* value) {
    return value != NULL && value->tag == STEPTREE_STRING ? value->of.text : text("");
}
steptree_text text_of(const steptree_value* of, const char* key) {
    return text_in(part(of, key));
}

double number_in(const steptree_value* value) {
    if (value == NULL || is_text(value, "NaN")) return NAN;
    if (is_text(value, "Infinity")) return INFINITY;
    return value->tag == STEPTREE_INT64 ? (double)value->of.integer : value->of.number;
}
int is_number(const steptree_value* value) {
    return value != NULL && (value->tag == STEPTREE_INT64 || value->tag == STEPTREE_DOUBLE);
}
int is_true(const steptree_value* value) {
    return value != NULL && value->tag == STEPTREE_BOOL && value->of.boolean != 0;
}

steptree_text text(const char* literal) {
    const steptree_text made = {literal, strlen(literal)};
    return made;
}

steptree_text copy_text(arena* of, const char* data, size_t size) {
    char* const memory = take(of, size + 1);
    if (size != 0) memcpy(memory, data, size);
    const steptree_text made = {memory, size};
    return made;
}

steptree_text joined(arena* of, steptree_text one, const char* between, steptree_text other) {
    const size_t middle = strlen(between);
    char* const memory = take(of, one.size + middle + other.size + 1);
    if (one.size != 0) memcpy(memory, one.data, one.size);
    memcpy(memory + one.size, between, middle);
    if (other.size != 0) memcpy(memory + one.size + middle, other.data, other.size);
    const steptree_text made = {memory, one.size + middle + other.size};
    return made;
}

steptree_value of_text(steptree_text given) {
    steptree_value made = {0};
    made.tag = STEPTREE_STRING;
    made.of.text = given;
    return made;
}
steptree_value of_int(int64_t number) {
    steptree_value made = {0};
    made.tag = STEPTREE_INT64;
    made.of.integer = number;
    return made;
}
