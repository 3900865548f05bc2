#include "check.h"

const steptree_api* api;
int failures, tests;

void run_flow(story* of, void (*fill)(steptree_adder* to, story* of)) {
    steptree_tool* tool = NULL;
    steptree_flow* flow = NULL;
    steptree_done done = {&tell_end, NULL, NULL};
    done.data = of;
    CHECK(api->tool->make_virtual(NULL, &tool) == NULL);
    CHECK(api->flow->make(tool, NULL, &flow) == NULL);
    fill(STEPTREE_ADDER(flow), of);
    CHECK(api->flow->execute(flow, &done, NULL) == NULL);
    CHECK(api->tool->run(tool) == NULL);
    api->flow->drop(flow);
    api->tool->drop(tool);
}

int main(void) {
    const char* why = NULL;
    api = steptree_host(STEPTREE_ABI, &why);
    if (api == NULL) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    test_host();
    test_steps();
    test_values();
    test_errors();
    test_data();
    test_awaiting();
    test_layout();
    test_threads();
    test_looks();
    test_edges();
    test_sizes();
    test_knows();
    test_hosting();
    printf("%d tests, %d checks failed\n", tests, failures);
    return failures == 0 ? 0 : 1;
}
