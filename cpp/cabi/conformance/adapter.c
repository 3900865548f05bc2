/* The adapter of the C interface: one case a line on stdin, its trace as one line on stdout, in the
 * same order. It knows steptree by steptree/steptree.h alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* 0: there are no more lines. */
static int read_line(buffer* into) {
    int at;
    into->size = 0;
    put(into, "");
    while ((at = getchar()) != EOF && at != '\n') {
        const char byte = (char)at;
        put_bytes(into, &byte, 1);
    }
    return at != EOF || into->size != 0;
}

static void answer(const buffer* line, buffer* into) {
    arena memory = {NULL};
    steptree_value request;
    into->size = 0;
    if (!parse_json(&memory, line->data, line->size, &request)) {
        put(into, "{\"error\":\"no JSON\"}");
    } else {
        put(into, "{\"id\":");
        put_json(into, part(&request, "id"));
        put(into, ",");
        run_case(part(&request, "case"), into);
        put(into, "}");
    }
    arena_free(&memory);
}

int main(void) {
    const char* why = NULL;
    buffer line = {NULL, 0, 0};
    buffer answered = {NULL, 0, 0};
    api = steptree_host(STEPTREE_ABI, &why);
    if (api == NULL) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    while (read_line(&line)) {
        if (strspn(line.data, " \t\r") == line.size) continue;
        answer(&line, &answered);
        puts(answered.data);
        fflush(stdout);
    }
    free(line.data);
    free(answered.data);
    return 0;
}
