/* A program in C, built apart from steptree: it sees the header and links the library. */
#include <stdio.h>
#include <steptree/steptree.h>

static const steptree_api* api;

static const steptree_error* greet(steptree_step* asi, const steptree_args* args, void* data) {
    (void)asi;
    (void)args;
    ++*(int*)data;
    return NULL;
}

int main(void) {
    const char* why = NULL;
    int greeted = 0;
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_closure closure = {&greet, NULL, NULL, NULL, NULL};
    closure.data = &greeted;
    api = steptree_host(STEPTREE_ABI, &why);
    if (api == NULL) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    if (api->tool->make_virtual(NULL, &tool) != NULL) return 1;
    if (api->flow->make(tool, NULL, &flow) != NULL) return 1;
    if (api->add->step(STEPTREE_ADDER(flow), &closure) != NULL) return 1;
    if (api->flow->execute(flow, NULL, NULL) != NULL || api->tool->run(tool) != NULL) return 1;
    api->flow->drop(flow);
    api->tool->drop(tool);
    return greeted == 1 ? 0 : 1;
}
