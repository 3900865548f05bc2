/* Generated from steptree/steptree.h by `npm run layout`; do not edit. */
#include "check.h"

/* clang-format off */
/* Major number 1; where pointers have 64 bits. */
#define AT(type, member, place, bytes) \
    CHECK(offsetof(type, member) == (place) && sizeof(((type*)0)->member) == (bytes))
/* Compared, other types are an error of the compiler. */
#define SAME(type, ...) CHECK(sizeof((type)0 == (__VA_ARGS__)0) != 0)

static void is_recorded(void) {
    if (sizeof(void*) != 8) return;
    CHECK(sizeof(steptree_text) == 16);
    AT(steptree_text, data, 0, 8); /* const char* data */
    AT(steptree_text, size, 8, 8); /* size_t size */
    CHECK(sizeof(steptree_list) == 16);
    AT(steptree_list, items, 0, 8); /* const struct steptree_value* items */
    AT(steptree_list, count, 8, 8); /* size_t count */
    CHECK(sizeof(steptree_map) == 16);
    AT(steptree_map, entries, 0, 8); /* const struct steptree_entry* entries */
    AT(steptree_map, count, 8, 8); /* size_t count */
    AT(steptree_kind, size, 0, 4); /* uint32_t size */
    AT(steptree_kind, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_kind, name, 8, 16); /* steptree_text name */
    AT(steptree_kind, drop, 24, 8); /* void (*drop)(void* pointer) */
    CHECK(sizeof(steptree_opaque) == 16);
    AT(steptree_opaque, pointer, 0, 8); /* void* pointer */
    AT(steptree_opaque, kind, 8, 8); /* const steptree_kind* kind */
    CHECK(sizeof(steptree_value) == 32);
    AT(steptree_value, tag, 0, 4); /* uint32_t tag */
    AT(steptree_value, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_value, of, 8, 16); /* union { int64_t boolean; int64_t integer; double number; steptree_text text; steptree_list list; steptree_map map; steptree_opaque opaque; } of */
    AT(steptree_value, owner, 24, 8); /* const void* owner */
    CHECK(sizeof(steptree_entry) == 64);
    AT(steptree_entry, key, 0, 32); /* steptree_value key */
    AT(steptree_entry, value, 32, 32); /* steptree_value value */
    CHECK(sizeof(steptree_args) == 24);
    AT(steptree_args, values, 0, 8); /* const steptree_value* values */
    AT(steptree_args, count, 8, 8); /* size_t count */
    AT(steptree_args, owner, 16, 8); /* const void* owner */
    AT(steptree_outcome, size, 0, 4); /* uint32_t size */
    AT(steptree_outcome, kind, 4, 4); /* uint32_t kind */
    AT(steptree_outcome, values, 8, 8); /* const steptree_value* values */
    AT(steptree_outcome, count, 16, 8); /* size_t count */
    AT(steptree_outcome, error, 24, 8); /* const steptree_error* error */
    AT(steptree_outcome, code, 32, 16); /* steptree_text code */
    AT(steptree_outcome, reason, 48, 16); /* steptree_text reason */
    CHECK(sizeof(steptree_closure) == 40);
    AT(steptree_closure, body, 0, 8); /* steptree_body body */
    AT(steptree_closure, data, 8, 8); /* void* data */
    AT(steptree_closure, drop, 16, 8); /* void (*drop)(void* data) */
    AT(steptree_closure, onerror, 24, 8); /* steptree_handler onerror */
    AT(steptree_closure, value, 32, 8); /* const steptree_definition* value */
    CHECK(sizeof(steptree_callback) == 24);
    AT(steptree_callback, call, 0, 8); /* void (*call)(void* data) */
    AT(steptree_callback, data, 8, 8); /* void* data */
    AT(steptree_callback, drop, 16, 8); /* void (*drop)(void* data) */
    CHECK(sizeof(steptree_done) == 24);
    AT(steptree_done, call, 0, 8); /* void (*call)(const steptree_outcome* outcome, void* data) */
    AT(steptree_done, data, 8, 8); /* void* data */
    AT(steptree_done, drop, 16, 8); /* void (*drop)(void* data) */
    CHECK(sizeof(steptree_completion) == 16);
    AT(steptree_completion, slot, 0, 8); /* void* slot */
    AT(steptree_completion, generation, 8, 8); /* uint64_t generation */
    CHECK(sizeof(steptree_awaiter) == 16);
    AT(steptree_awaiter, slot, 0, 8); /* void* slot */
    AT(steptree_awaiter, generation, 8, 8); /* uint64_t generation */
    CHECK(sizeof(steptree_canceller) == 16);
    AT(steptree_canceller, slot, 0, 8); /* void* slot */
    AT(steptree_canceller, generation, 8, 8); /* uint64_t generation */
    AT(steptree_awaitable, size, 0, 4); /* uint32_t size */
    AT(steptree_awaitable, flags, 4, 4); /* uint32_t flags */
    AT(steptree_awaitable, subscribe, 8, 8); /* void (*subscribe)(steptree_awaiter awaiter, void* data) */
    AT(steptree_awaitable, cancel, 16, 8); /* int32_t (*cancel)(void* data) */
    AT(steptree_awaitable, data, 24, 8); /* void* data */
    AT(steptree_awaitable, drop, 32, 8); /* void (*drop)(void* data) */
    AT(steptree_source, size, 0, 4); /* uint32_t size */
    AT(steptree_source, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_source, begin, 8, 8); /* void* (*begin)(void* data) */
    AT(steptree_source, next, 16, 8); /* const steptree_error* (*next)(void* run, steptree_value* into, int32_t* has) */
    AT(steptree_source, end, 24, 8); /* void (*end)(void* run) */
    AT(steptree_source, data, 32, 8); /* void* data */
    AT(steptree_source, drop, 40, 8); /* void (*drop)(void* data) */
    AT(steptree_error_api, size, 0, 4); /* uint32_t size */
    AT(steptree_error_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_error_api, keep, 8, 8); /* void (*keep)(const steptree_error* error) */
    AT(steptree_error_api, drop, 16, 8); /* void (*drop)(const steptree_error* error) */
    AT(steptree_error_api, make, 24, 8); /* const steptree_error* (*make)(steptree_text code, steptree_text info, const steptree_error* cause) */
    AT(steptree_error_api, of_system, 32, 8); /* const steptree_error* (*of_system)(int32_t number, steptree_text info, const steptree_error* cause) */
    AT(steptree_error_api, code, 40, 8); /* steptree_text (*code)(const steptree_error* error) */
    AT(steptree_error_api, info, 48, 8); /* steptree_text (*info)(const steptree_error* error) */
    AT(steptree_error_api, path, 56, 8); /* steptree_text (*path)(const steptree_error* error) */
    AT(steptree_error_api, cause, 64, 8); /* const steptree_error* (*cause)(const steptree_error* error) */
    AT(steptree_error_api, also, 72, 8); /* const steptree_error* (*also)(const steptree_error* error, size_t number) */
    AT(steptree_error_api, foreign, 80, 8); /* int32_t (*foreign)(const steptree_error* error) */
    AT(steptree_error_api, retry_after, 88, 8); /* int64_t (*retry_after)(const steptree_error* error) */
    AT(steptree_error_api, refused, 96, 8); /* int32_t (*refused)(const steptree_error* error) */
    AT(steptree_error_api, guard, 104, 8); /* steptree_text (*guard)(const steptree_error* error) */
    AT(steptree_error_api, waits, 112, 8); /* steptree_text (*waits)(const steptree_error* error) */
    AT(steptree_error_api, of_object, 120, 8); /* const steptree_error* (*of_object)(int32_t number, steptree_text info, steptree_opaque object, const steptree_error* cause) */
    AT(steptree_error_api, object, 128, 8); /* steptree_opaque (*object)(const steptree_error* error) */
    AT(steptree_error_api, make_refusal, 136, 8); /* const steptree_error* (*make_refusal)(steptree_text code, steptree_text guard, steptree_text why, int64_t retry_after) */
    AT(steptree_value_api, size, 0, 4); /* uint32_t size */
    AT(steptree_value_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_value_api, keep, 8, 8); /* const steptree_error* (*keep)(const steptree_value* value, steptree_value* into) */
    AT(steptree_value_api, drop, 16, 8); /* void (*drop)(steptree_value* value) */
    AT(steptree_add_api, size, 0, 4); /* uint32_t size */
    AT(steptree_add_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_add_api, step, 8, 8); /* const steptree_error* (*step)(steptree_adder* to, const steptree_closure* closure) */
    AT(steptree_add_api, named_step, 16, 8); /* const steptree_error* (*named_step)(steptree_adder* to, const steptree_closure* closure, steptree_text name) */
    AT(steptree_add_api, repeat_until_break, 24, 8); /* const steptree_error* (*repeat_until_break)(steptree_adder* to, const steptree_closure* closure, steptree_text label) */
    AT(steptree_add_api, repeat, 32, 8); /* const steptree_error* (*repeat)(steptree_adder* to, int64_t count, const steptree_closure* closure, steptree_text label) */
    AT(steptree_add_api, for_each, 40, 8); /* const steptree_error* (*for_each)(steptree_adder* to, const steptree_value* collection, const steptree_closure* closure, steptree_text label) */
    AT(steptree_add_api, for_each_of, 48, 8); /* const steptree_error* (*for_each_of)(steptree_adder* to, steptree_channel* channel, const steptree_closure* closure, steptree_text label) */
    AT(steptree_add_api, await_operation, 56, 8); /* const steptree_error* (*await_operation)(steptree_adder* to, const steptree_awaitable* awaitable, const steptree_closure* closure) */
    AT(steptree_add_api, await_flow, 64, 8); /* const steptree_error* (*await_flow)(steptree_adder* to, steptree_flow* flow, const steptree_closure* closure) */
    AT(steptree_add_api, sync, 72, 8); /* const steptree_error* (*sync)(steptree_adder* to, steptree_guard* guard, const steptree_closure* closure) */
    AT(steptree_add_api, sync_key, 80, 8); /* const steptree_error* (*sync_key)(steptree_adder* to, steptree_keyed* keyed, steptree_text key, const steptree_closure* closure) */
    AT(steptree_add_api, value, 88, 8); /* const steptree_error* (*value)(steptree_adder* to, const steptree_definition* value, const steptree_closure* closure, steptree_text name) */
    AT(steptree_add_api, relinquish, 96, 8); /* const steptree_error* (*relinquish)(steptree_adder* to) */
    AT(steptree_add_api, success, 104, 8); /* const steptree_error* (*success)(steptree_adder* to, const steptree_value* values, size_t count) */
    AT(steptree_add_api, service, 112, 8); /* const steptree_error* (*service)(steptree_adder* to, steptree_plugin_host* host, steptree_text name, const steptree_value* values, size_t count, const steptree_closure* closure) */
    AT(steptree_step_api, size, 0, 4); /* uint32_t size */
    AT(steptree_step_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_step_api, success, 8, 8); /* const steptree_error* (*success)(steptree_step* asi, const steptree_value* values, size_t count) */
    AT(steptree_step_api, forward, 16, 8); /* const steptree_error* (*forward)(steptree_step* asi, const steptree_args* args) */
    AT(steptree_step_api, error, 24, 8); /* const steptree_error* (*error)(steptree_step* asi, steptree_text code, steptree_text info) */
    AT(steptree_step_api, error_of, 32, 8); /* const steptree_error* (*error_of)(steptree_step* asi, steptree_text code, steptree_text info, const steptree_error* cause) */
    AT(steptree_step_api, break_loop, 40, 8); /* const steptree_error* (*break_loop)(steptree_step* asi, steptree_text label) */
    AT(steptree_step_api, continue_loop, 48, 8); /* const steptree_error* (*continue_loop)(steptree_step* asi, steptree_text label) */
    AT(steptree_step_api, give, 56, 8); /* const steptree_error* (*give)(steptree_step* asi, const steptree_value* values, size_t count) */
    AT(steptree_step_api, give_awaitable, 64, 8); /* const steptree_error* (*give_awaitable)(steptree_step* asi, const steptree_awaitable* awaitable) */
    AT(steptree_step_api, set_timeout, 72, 8); /* const steptree_error* (*set_timeout)(steptree_step* asi, double ms, steptree_text code) */
    AT(steptree_step_api, set_cancel, 80, 8); /* const steptree_error* (*set_cancel)(steptree_step* asi, steptree_body handler, void* data, void (*drop)(void* data)) */
    AT(steptree_step_api, defer, 88, 8); /* const steptree_error* (*defer)(steptree_step* asi, steptree_deferred function, void* data, void (*drop)(void* data)) */
    AT(steptree_step_api, remaining, 96, 8); /* const steptree_error* (*remaining)(steptree_step* asi, int64_t* ms) */
    AT(steptree_step_api, wait_external, 104, 8); /* const steptree_error* (*wait_external)(steptree_step* asi, steptree_completion* into) */
    AT(steptree_step_api, parallel, 112, 8); /* const steptree_error* (*parallel)(steptree_step* asi, const steptree_closure* closure, steptree_text name, steptree_adder** branches) */
    AT(steptree_step_api, valid, 120, 8); /* int32_t (*valid)(const steptree_step* asi) */
    AT(steptree_step_api, state, 128, 8); /* const steptree_error* (*state)(steptree_step* asi, steptree_state** into) */
    AT(steptree_step_api, set_local, 136, 8); /* const steptree_error* (*set_local)(steptree_step* asi, const void* key, const steptree_value* value) */
    AT(steptree_step_api, local, 144, 8); /* const steptree_error* (*local)(steptree_step* asi, const void* key, const steptree_value** into) */
    AT(steptree_step_api, signal, 152, 8); /* const steptree_error* (*signal)(steptree_step* asi, steptree_signal** into) */
    AT(steptree_step_api, last_error, 160, 8); /* const steptree_error* (*last_error)(steptree_step* asi) */
    AT(steptree_step_api, last_thrown, 168, 8); /* const steptree_error* (*last_thrown)(steptree_step* asi) */
    AT(steptree_step_api, new_instance, 176, 8); /* const steptree_error* (*new_instance)(steptree_step* asi, steptree_flow** into) */
    AT(steptree_step_api, tool, 184, 8); /* const steptree_error* (*tool)(steptree_step* asi, steptree_tool** into) */
    AT(steptree_step_api, flow_data, 192, 8); /* void* (*flow_data)(const steptree_step* asi, steptree_hook report) */
    AT(steptree_completion_api, size, 0, 4); /* uint32_t size */
    AT(steptree_completion_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_completion_api, keep, 8, 8); /* steptree_completion (*keep)(steptree_completion completion) */
    AT(steptree_completion_api, drop, 16, 8); /* void (*drop)(steptree_completion completion) */
    AT(steptree_completion_api, success, 24, 8); /* int32_t (*success)(steptree_completion completion, const steptree_value* values, size_t count) */
    AT(steptree_completion_api, error, 32, 8); /* int32_t (*error)(steptree_completion completion, steptree_text code, steptree_text info) */
    AT(steptree_completion_api, fail, 40, 8); /* int32_t (*fail)(steptree_completion completion, const steptree_error* error) */
    AT(steptree_completion_api, valid, 48, 8); /* int32_t (*valid)(steptree_completion completion) */
    AT(steptree_awaiter_api, size, 0, 4); /* uint32_t size */
    AT(steptree_awaiter_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_awaiter_api, keep, 8, 8); /* steptree_awaiter (*keep)(steptree_awaiter awaiter) */
    AT(steptree_awaiter_api, drop, 16, 8); /* void (*drop)(steptree_awaiter awaiter) */
    AT(steptree_awaiter_api, success, 24, 8); /* void (*success)(steptree_awaiter awaiter, const steptree_value* values, size_t count) */
    AT(steptree_awaiter_api, fail, 32, 8); /* void (*fail)(steptree_awaiter awaiter, const steptree_error* error) */
    AT(steptree_canceller_api, size, 0, 4); /* uint32_t size */
    AT(steptree_canceller_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_canceller_api, keep, 8, 8); /* steptree_canceller (*keep)(steptree_canceller canceller) */
    AT(steptree_canceller_api, drop, 16, 8); /* void (*drop)(steptree_canceller canceller) */
    AT(steptree_canceller_api, cancel, 24, 8); /* void (*cancel)(steptree_canceller canceller, steptree_text reason) */
    AT(steptree_state_api, size, 0, 4); /* uint32_t size */
    AT(steptree_state_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_state_api, get, 8, 8); /* const steptree_error* (*get)(steptree_state* state, steptree_text key, steptree_value* into) */
    AT(steptree_state_api, set, 16, 8); /* const steptree_error* (*set)(steptree_state* state, steptree_text key, const steptree_value* value) */
    AT(steptree_state_api, has, 24, 8); /* int32_t (*has)(steptree_state* state, steptree_text key) */
    AT(steptree_state_api, erase, 32, 8); /* const steptree_error* (*erase)(steptree_state* state, steptree_text key) */
    AT(steptree_state_api, clear, 40, 8); /* const steptree_error* (*clear)(steptree_state* state) */
    AT(steptree_options, size, 0, 4); /* uint32_t size */
    AT(steptree_options, given, 4, 4); /* uint32_t given */
    AT(steptree_options, burst, 8, 4); /* uint32_t burst */
    AT(steptree_options, reserved, 12, 4); /* uint32_t reserved */
    AT(steptree_options, name, 16, 16); /* steptree_text name */
    AT(steptree_options, grace, 32, 8); /* double grace */
    AT(steptree_options, unhandled, 40, 8); /* steptree_hook unhandled */
    AT(steptree_options, report, 48, 8); /* steptree_hook report */
    AT(steptree_options, data, 56, 8); /* void* data */
    AT(steptree_options, drop, 64, 8); /* void (*drop)(void* data) */
    AT(steptree_flow_api, size, 0, 4); /* uint32_t size */
    AT(steptree_flow_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_flow_api, make, 8, 8); /* const steptree_error* (*make)(steptree_tool* tool, const steptree_options* options, steptree_flow** into) */
    AT(steptree_flow_api, drop, 16, 8); /* void (*drop)(steptree_flow* flow) */
    AT(steptree_flow_api, execute, 24, 8); /* const steptree_error* (*execute)(steptree_flow* flow, const steptree_done* done, steptree_signal* signal) */
    AT(steptree_flow_api, cancel, 32, 8); /* const steptree_error* (*cancel)(steptree_flow* flow, steptree_text reason) */
    AT(steptree_flow_api, running, 40, 8); /* int32_t (*running)(const steptree_flow* flow) */
    AT(steptree_flow_api, closed, 48, 8); /* const steptree_error* (*closed)(steptree_flow* flow, const steptree_callback* callback) */
    AT(steptree_flow_api, parallel, 56, 8); /* const steptree_error* (*parallel)(steptree_flow* flow, const steptree_closure* closure, steptree_text name, steptree_adder** branches) */
    AT(steptree_flow_api, state, 64, 8); /* const steptree_error* (*state)(steptree_flow* flow, steptree_state** into) */
    AT(steptree_flow_api, snapshot, 72, 8); /* const steptree_error* (*snapshot)(steptree_flow* flow, steptree_value* into) */
    AT(steptree_flow_api, canceller, 80, 8); /* const steptree_error* (*canceller)(steptree_flow* flow, steptree_canceller* into) */
    AT(steptree_flow_api, snapshot_text, 88, 8); /* const steptree_error* (*snapshot_text)(steptree_flow* flow, size_t max, steptree_value* into) */
    AT(steptree_virtual_options, size, 0, 4); /* uint32_t size */
    AT(steptree_virtual_options, given, 4, 4); /* uint32_t given */
    AT(steptree_virtual_options, seed, 8, 4); /* uint32_t seed */
    AT(steptree_virtual_options, order, 12, 4); /* uint32_t order */
    AT(steptree_virtual_options, choices, 16, 8); /* const uint32_t* choices */
    AT(steptree_virtual_options, count, 24, 8); /* size_t count */
    AT(steptree_start_options, size, 0, 4); /* uint32_t size */
    AT(steptree_start_options, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_start_options, done, 8, 8); /* const steptree_done* done */
    AT(steptree_start_options, signal, 16, 8); /* steptree_signal* signal */
    AT(steptree_start_options, options, 24, 8); /* const steptree_options* options */
    AT(steptree_tool_api, size, 0, 4); /* uint32_t size */
    AT(steptree_tool_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_tool_api, make_virtual, 8, 8); /* const steptree_error* (*make_virtual)(const steptree_virtual_options* options, steptree_tool** into) */
    AT(steptree_tool_api, make_driven, 16, 8); /* const steptree_error* (*make_driven)(const steptree_callback* wake, steptree_tool** into) */
    AT(steptree_tool_api, make_threaded, 24, 8); /* const steptree_error* (*make_threaded)(steptree_tool** into) */
    AT(steptree_tool_api, drop, 32, 8); /* void (*drop)(steptree_tool* tool) */
    AT(steptree_tool_api, iterate, 40, 8); /* const steptree_error* (*iterate)(steptree_tool* tool, int64_t* ms) */
    AT(steptree_tool_api, run, 48, 8); /* const steptree_error* (*run)(steptree_tool* tool) */
    AT(steptree_tool_api, advance, 56, 8); /* const steptree_error* (*advance)(steptree_tool* tool, double ms) */
    AT(steptree_tool_api, elapse, 64, 8); /* const steptree_error* (*elapse)(steptree_tool* tool, double ms) */
    AT(steptree_tool_api, alternatives, 72, 8); /* const uint32_t* (*alternatives)(steptree_tool* tool, size_t* count) */
    AT(steptree_tool_api, immediate, 80, 8); /* const steptree_error* (*immediate)(steptree_tool* tool, const steptree_callback* callback, steptree_handle** into) */
    AT(steptree_tool_api, deferred, 88, 8); /* const steptree_error* (*deferred)(steptree_tool* tool, double ms, const steptree_callback* callback, steptree_handle** into) */
    AT(steptree_tool_api, now, 96, 8); /* int64_t (*now)(const steptree_tool* tool) */
    AT(steptree_tool_api, random, 104, 8); /* const steptree_error* (*random)(steptree_tool* tool, double* into) */
    AT(steptree_tool_api, armed_timers, 112, 8); /* const steptree_error* (*armed_timers)(steptree_tool* tool, size_t* into) */
    AT(steptree_tool_api, start, 120, 8); /* const steptree_error* (*start)(steptree_tool* tool, const steptree_definition* value, const steptree_start_options* options) */
    AT(steptree_tool_api, snapshot, 128, 8); /* const steptree_error* (*snapshot)(steptree_tool* tool, steptree_value* into) */
    AT(steptree_tool_api, snapshot_text, 136, 8); /* const steptree_error* (*snapshot_text)(steptree_tool* tool, size_t max, steptree_value* into) */
    AT(steptree_tool_api, on_error, 144, 8); /* const steptree_error* (*on_error)(steptree_tool* tool, steptree_hook hook, void* data, void (*drop)(void* data)) */
    AT(steptree_tool_api, here, 152, 8); /* int32_t (*here)(const steptree_tool* tool) */
    AT(steptree_handle_api, size, 0, 4); /* uint32_t size */
    AT(steptree_handle_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_handle_api, cancel, 8, 8); /* void (*cancel)(steptree_handle* handle) */
    AT(steptree_handle_api, valid, 16, 8); /* int32_t (*valid)(const steptree_handle* handle) */
    AT(steptree_handle_api, drop, 24, 8); /* void (*drop)(steptree_handle* handle) */
    AT(steptree_retry_options, size, 0, 4); /* uint32_t size */
    AT(steptree_retry_options, given, 4, 4); /* uint32_t given */
    AT(steptree_retry_options, max, 8, 8); /* int64_t max */
    AT(steptree_retry_options, base, 16, 8); /* double base */
    AT(steptree_retry_options, factor, 24, 8); /* double factor */
    AT(steptree_retry_options, cap, 32, 8); /* double cap */
    AT(steptree_retry_options, jitter, 40, 8); /* double jitter */
    AT(steptree_retry_options, codes, 48, 8); /* const steptree_text* codes */
    AT(steptree_retry_options, count, 56, 8); /* size_t count */
    AT(steptree_retry_options, decide, 64, 8); /* steptree_decide decide */
    AT(steptree_retry_options, data, 72, 8); /* void* data */
    AT(steptree_retry_options, drop, 80, 8); /* void (*drop)(void* data) */
    AT(steptree_retry_options, budget, 88, 8); /* steptree_budget* budget */
    AT(steptree_hedge_options, size, 0, 4); /* uint32_t size */
    AT(steptree_hedge_options, given, 4, 4); /* uint32_t given */
    AT(steptree_hedge_options, after, 8, 8); /* double after */
    AT(steptree_hedge_options, max, 16, 8); /* int64_t max */
    AT(steptree_hedge_options, codes, 24, 8); /* const steptree_text* codes */
    AT(steptree_hedge_options, count, 32, 8); /* size_t count */
    AT(steptree_hedge_options, decide, 40, 8); /* steptree_decide decide */
    AT(steptree_hedge_options, data, 48, 8); /* void* data */
    AT(steptree_hedge_options, drop, 56, 8); /* void (*drop)(void* data) */
    AT(steptree_hedge_options, budget, 64, 8); /* steptree_budget* budget */
    AT(steptree_map_options, size, 0, 4); /* uint32_t size */
    AT(steptree_map_options, flags, 4, 4); /* uint32_t flags */
    AT(steptree_map_options, limit, 8, 8); /* uint64_t limit */
    AT(steptree_map_options, collection, 16, 8); /* const steptree_value* collection */
    AT(steptree_map_options, source, 24, 8); /* const steptree_source* source */
    AT(steptree_map_options, channel, 32, 8); /* steptree_channel* channel */
    AT(steptree_map_options, sink, 40, 8); /* const steptree_error* (*sink)(const steptree_args* result, uint64_t number, void* data) */
    AT(steptree_map_options, data, 48, 8); /* void* data */
    AT(steptree_map_options, drop, 56, 8); /* void (*drop)(void* data) */
    AT(steptree_define_api, size, 0, 4); /* uint32_t size */
    AT(steptree_define_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_define_api, keep, 8, 8); /* void (*keep)(const steptree_definition* value) */
    AT(steptree_define_api, drop, 16, 8); /* void (*drop)(const steptree_definition* value) */
    AT(steptree_define_api, step, 24, 8); /* const steptree_error* (*step)(const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, steps, 32, 8); /* const steptree_error* (*steps)(const steptree_definition* const* parts, size_t count, const steptree_definition** into) */
    AT(steptree_define_api, parallel, 40, 8); /* const steptree_error* (*parallel)(const steptree_definition* const* branches, size_t count, const steptree_definition** into) */
    AT(steptree_define_api, all, 48, 8); /* const steptree_error* (*all)(const steptree_definition* const* branches, size_t count, const steptree_definition** into) */
    AT(steptree_define_api, race, 56, 8); /* const steptree_error* (*race)(const steptree_definition* const* branches, size_t count, const steptree_definition** into) */
    AT(steptree_define_api, any, 64, 8); /* const steptree_error* (*any)(const steptree_definition* const* branches, size_t count, const steptree_definition** into) */
    AT(steptree_define_api, repeat_until_break, 72, 8); /* const steptree_error* (*repeat_until_break)(const steptree_closure* closure, steptree_text label, const steptree_definition** into) */
    AT(steptree_define_api, repeat, 80, 8); /* const steptree_error* (*repeat)(int64_t count, const steptree_closure* closure, steptree_text label, const steptree_definition** into) */
    AT(steptree_define_api, for_each, 88, 8); /* const steptree_error* (*for_each)(const steptree_value* collection, const steptree_closure* closure, steptree_text label, const steptree_definition** into) */
    AT(steptree_define_api, for_each_of, 96, 8); /* const steptree_error* (*for_each_of)(steptree_channel* channel, const steptree_closure* closure, steptree_text label, const steptree_definition** into) */
    AT(steptree_define_api, sync, 104, 8); /* const steptree_error* (*sync)(steptree_guard* guard, const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, sync_key, 112, 8); /* const steptree_error* (*sync_key)(steptree_keyed* keyed, steptree_text key, const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, delay, 120, 8); /* const steptree_error* (*delay)(double ms, const steptree_definition** into) */
    AT(steptree_define_api, shield, 128, 8); /* const steptree_error* (*shield)(double ms, const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, retry, 136, 8); /* const steptree_error* (*retry)(const steptree_retry_options* options, const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, hedge, 144, 8); /* const steptree_error* (*hedge)(const steptree_hedge_options* options, const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, map, 152, 8); /* const steptree_error* (*map)(const steptree_map_options* options, const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, timeout, 160, 8); /* const steptree_error* (*timeout)(const steptree_definition* value, double ms, steptree_text code, const steptree_definition** into) */
    AT(steptree_define_api, on_error, 168, 8); /* const steptree_error* (*on_error)(const steptree_definition* value, const steptree_closure* closure, const steptree_definition** into) */
    AT(steptree_define_api, named, 176, 8); /* const steptree_error* (*named)(const steptree_definition* value, steptree_text name, const steptree_definition** into) */
    AT(steptree_define_api, bound, 184, 8); /* const steptree_error* (*bound)(const steptree_definition* value, const steptree_value* values, size_t count, const steptree_definition** into) */
    AT(steptree_define_api, make_budget, 192, 8); /* const steptree_error* (*make_budget)(int64_t capacity, double ratio, steptree_budget** into) */
    AT(steptree_define_api, drop_budget, 200, 8); /* void (*drop_budget)(steptree_budget* budget) */
    AT(steptree_guard_options, size, 0, 4); /* uint32_t size */
    AT(steptree_guard_options, given, 4, 4); /* uint32_t given */
    AT(steptree_guard_options, kind, 8, 4); /* uint32_t kind */
    AT(steptree_guard_options, flags, 12, 4); /* uint32_t flags */
    AT(steptree_guard_options, name, 16, 16); /* steptree_text name */
    AT(steptree_guard_options, max, 32, 8); /* int64_t max */
    AT(steptree_guard_options, max_queue, 40, 8); /* int64_t max_queue */
    AT(steptree_guard_options, rate, 48, 8); /* int64_t rate */
    AT(steptree_guard_options, period, 56, 8); /* int64_t period */
    AT(steptree_guard_options, burst, 64, 8); /* int64_t burst */
    AT(steptree_guard_options, parties, 72, 8); /* int64_t parties */
    AT(steptree_guard_options, calls, 80, 8); /* int64_t calls */
    AT(steptree_guard_options, min_calls, 88, 8); /* int64_t min_calls */
    AT(steptree_guard_options, open_for, 96, 8); /* int64_t open_for */
    AT(steptree_guard_options, probes, 104, 8); /* int64_t probes */
    AT(steptree_guard_options, share, 112, 8); /* double share */
    AT(steptree_guard_options, algorithm, 120, 4); /* uint32_t algorithm */
    AT(steptree_guard_options, reserved, 124, 4); /* uint32_t reserved */
    AT(steptree_guard_options, failure, 128, 8); /* const steptree_error* (*failure)(steptree_text code, const steptree_error* error, int32_t* is, void* data) */
    AT(steptree_guard_options, data, 136, 8); /* void* data */
    AT(steptree_guard_options, drop, 144, 8); /* void (*drop)(void* data) */
    AT(steptree_guard_reading, size, 0, 4); /* uint32_t size */
    AT(steptree_guard_reading, state, 4, 4); /* uint32_t state */
    AT(steptree_guard_reading, waiting, 8, 8); /* int64_t waiting */
    AT(steptree_guard_reading, active, 16, 8); /* int64_t active */
    AT(steptree_guard_reading, available, 24, 8); /* int64_t available */
    AT(steptree_custom_guard, size, 0, 4); /* uint32_t size */
    AT(steptree_custom_guard, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_custom_guard, lock, 8, 8); /* steptree_body lock */
    AT(steptree_custom_guard, unlock, 16, 8); /* steptree_deferred unlock */
    AT(steptree_custom_guard, data, 24, 8); /* void* data */
    AT(steptree_custom_guard, drop, 32, 8); /* void (*drop)(void* data) */
    AT(steptree_guard_api, size, 0, 4); /* uint32_t size */
    AT(steptree_guard_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_guard_api, make, 8, 8); /* const steptree_error* (*make)(const steptree_guard_options* options, steptree_guard** into) */
    AT(steptree_guard_api, make_custom, 16, 8); /* const steptree_error* (*make_custom)(const steptree_custom_guard* guard, steptree_guard** into) */
    AT(steptree_guard_api, drop, 24, 8); /* void (*drop)(steptree_guard* guard) */
    AT(steptree_guard_api, read_side, 32, 8); /* const steptree_error* (*read_side)(steptree_guard* guard, steptree_guard** into) */
    AT(steptree_guard_api, write_side, 40, 8); /* const steptree_error* (*write_side)(steptree_guard* guard, steptree_guard** into) */
    AT(steptree_guard_api, places, 48, 8); /* const steptree_error* (*places)(steptree_guard* guard, int64_t n, steptree_guard** into) */
    AT(steptree_guard_api, read, 56, 8); /* const steptree_error* (*read)(const steptree_guard* guard, steptree_guard_reading* into) */
    AT(steptree_guard_api, open, 64, 8); /* const steptree_error* (*open)(steptree_guard* guard) */
    AT(steptree_guard_api, close, 72, 8); /* const steptree_error* (*close)(steptree_guard* guard) */
    AT(steptree_guard_api, wait, 80, 8); /* const steptree_error* (*wait)(steptree_guard* guard, steptree_step* asi) */
    AT(steptree_guard_api, make_keyed, 88, 8); /* const steptree_error* (*make_keyed)(uint32_t kind, steptree_key_options options, void* data, void (*drop)(void* data), steptree_keyed** into) */
    AT(steptree_guard_api, drop_keyed, 96, 8); /* void (*drop_keyed)(steptree_keyed* keyed) */
    AT(steptree_guard_api, keyed_size, 104, 8); /* const steptree_error* (*keyed_size)(const steptree_keyed* keyed, int64_t* into) */
    AT(steptree_guard_api, read_key, 112, 8); /* const steptree_error* (*read_key)(const steptree_keyed* keyed, steptree_text key, steptree_guard_reading* into, int32_t* has) */
    AT(steptree_channel_options, size, 0, 4); /* uint32_t size */
    AT(steptree_channel_options, flags, 4, 4); /* uint32_t flags */
    AT(steptree_channel_options, capacity, 8, 8); /* int64_t capacity */
    AT(steptree_channel_options, name, 16, 16); /* steptree_text name */
    AT(steptree_channel_reading, size, 0, 4); /* uint32_t size */
    AT(steptree_channel_reading, closed, 4, 4); /* uint32_t closed */
    AT(steptree_channel_reading, values, 8, 8); /* int64_t values */
    AT(steptree_channel_reading, available, 16, 8); /* int64_t available */
    AT(steptree_channel_reading, senders, 24, 8); /* int64_t senders */
    AT(steptree_channel_reading, receivers, 32, 8); /* int64_t receivers */
    AT(steptree_channel_api, size, 0, 4); /* uint32_t size */
    AT(steptree_channel_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_channel_api, make, 8, 8); /* const steptree_error* (*make)(const steptree_channel_options* options, steptree_channel** into) */
    AT(steptree_channel_api, drop, 16, 8); /* void (*drop)(steptree_channel* channel) */
    AT(steptree_channel_api, send, 24, 8); /* const steptree_error* (*send)(steptree_channel* channel, steptree_step* asi, const steptree_value* value) */
    AT(steptree_channel_api, receive, 32, 8); /* const steptree_error* (*receive)(steptree_channel* channel, steptree_step* asi) */
    AT(steptree_channel_api, try_send, 40, 8); /* const steptree_error* (*try_send)(steptree_channel* channel, const steptree_value* value, int32_t* done) */
    AT(steptree_channel_api, try_receive, 48, 8); /* const steptree_error* (*try_receive)(steptree_channel* channel, steptree_value* into, int32_t* done) */
    AT(steptree_channel_api, close, 56, 8); /* const steptree_error* (*close)(steptree_channel* channel) */
    AT(steptree_channel_api, read, 64, 8); /* const steptree_error* (*read)(const steptree_channel* channel, steptree_channel_reading* into) */
    AT(steptree_signal_api, size, 0, 4); /* uint32_t size */
    AT(steptree_signal_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_signal_api, make, 8, 8); /* const steptree_error* (*make)(steptree_signal** into) */
    AT(steptree_signal_api, keep, 16, 8); /* void (*keep)(steptree_signal* signal) */
    AT(steptree_signal_api, drop, 24, 8); /* void (*drop)(steptree_signal* signal) */
    AT(steptree_signal_api, abort, 32, 8); /* int32_t (*abort)(steptree_signal* signal) */
    AT(steptree_signal_api, aborted, 40, 8); /* int32_t (*aborted)(const steptree_signal* signal) */
    AT(steptree_signal_api, same, 48, 8); /* int32_t (*same)(const steptree_signal* one, const steptree_signal* other) */
    AT(steptree_signal_api, listen, 56, 8); /* const steptree_error* (*listen)(steptree_signal* signal, const steptree_callback* callback, steptree_handle** into) */
    AT(steptree_scope_api, size, 0, 4); /* uint32_t size */
    AT(steptree_scope_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_scope_api, make, 8, 8); /* const steptree_error* (*make)(steptree_tool* tool, const steptree_options* options, steptree_scope** into) */
    AT(steptree_scope_api, drop, 16, 8); /* void (*drop)(steptree_scope* scope) */
    AT(steptree_scope_api, start, 24, 8); /* const steptree_error* (*start)(steptree_scope* scope, const steptree_definition* value, const steptree_start_options* options) */
    AT(steptree_scope_api, close, 32, 8); /* const steptree_error* (*close)(steptree_scope* scope, steptree_text reason, steptree_counted counted, void* data, void (*drop)(void* data)) */
    AT(steptree_scope_api, drain, 40, 8); /* const steptree_error* (*drain)(steptree_scope* scope, double ms, steptree_text reason, steptree_counted counted, void* data, void (*drop)(void* data)) */
    AT(steptree_scope_api, draining, 48, 8); /* int32_t (*draining)(const steptree_scope* scope) */
    AT(steptree_scope_api, flows, 56, 8); /* size_t (*flows)(const steptree_scope* scope) */
    AT(steptree_event, size, 0, 4); /* uint32_t size */
    AT(steptree_event, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_event, what, 8, 16); /* steptree_text what */
    AT(steptree_event, time, 24, 8); /* int64_t time */
    AT(steptree_event, sequence, 32, 8); /* uint64_t sequence */
    AT(steptree_event, flow, 40, 8); /* uint64_t flow */
    AT(steptree_event, flow_name, 48, 16); /* steptree_text flow_name */
    AT(steptree_event, step, 64, 8); /* uint64_t step */
    AT(steptree_event, parent, 72, 8); /* uint64_t parent */
    AT(steptree_event, path, 80, 16); /* steptree_text path */
    AT(steptree_event, element, 96, 16); /* steptree_text element */
    AT(steptree_event, kind, 112, 16); /* steptree_text kind */
    AT(steptree_event, outcome, 128, 16); /* steptree_text outcome */
    AT(steptree_event, code, 144, 16); /* steptree_text code */
    AT(steptree_event, waits, 160, 8); /* const steptree_value* waits */
    AT(steptree_stall_options, size, 0, 4); /* uint32_t size */
    AT(steptree_stall_options, given, 4, 4); /* uint32_t given */
    AT(steptree_stall_options, body, 8, 8); /* double body */
    AT(steptree_stall_options, wait, 16, 8); /* double wait */
    AT(steptree_stall_options, stuck, 24, 8); /* steptree_stuck stuck */
    AT(steptree_stall_options, data, 32, 8); /* void* data */
    AT(steptree_stall_options, drop, 40, 8); /* void (*drop)(void* data) */
    AT(steptree_observe_api, size, 0, 4); /* uint32_t size */
    AT(steptree_observe_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_observe_api, observe, 8, 8); /* const steptree_error* (*observe)(steptree_tool* tool, steptree_observer observer, void* data, void (*drop)(void* data), int32_t bodies, steptree_handle** into) */
    AT(steptree_observe_api, make_recorder, 16, 8); /* const steptree_error* (*make_recorder)(steptree_tool* tool, uint64_t events, int32_t bodies, steptree_recorder** into) */
    AT(steptree_observe_api, drop_recorder, 24, 8); /* void (*drop_recorder)(steptree_recorder* recorder) */
    AT(steptree_observe_api, text, 32, 8); /* const steptree_error* (*text)(const steptree_recorder* recorder, steptree_value* into) */
    AT(steptree_observe_api, cancel_recorder, 40, 8); /* void (*cancel_recorder)(steptree_recorder* recorder) */
    AT(steptree_observe_api, trace, 48, 8); /* const steptree_error* (*trace)(const steptree_recorder* recorder, steptree_value* into) */
    AT(steptree_observe_api, events, 56, 8); /* const steptree_error* (*events)(const steptree_recorder* recorder, steptree_value* into) */
    AT(steptree_observe_api, watch_stalls, 64, 8); /* const steptree_error* (*watch_stalls)(steptree_tool* tool, const steptree_stall_options* options, steptree_handle** into) */
    AT(steptree_plugin_host_options, size, 0, 4); /* uint32_t size */
    AT(steptree_plugin_host_options, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_plugin_host_options, directory, 8, 16); /* steptree_text directory */
    AT(steptree_host_api, size, 0, 4); /* uint32_t size */
    AT(steptree_host_api, reserved, 4, 4); /* uint32_t reserved */
    AT(steptree_host_api, make, 8, 8); /* const steptree_error* (*make)(steptree_tool* tool, const steptree_plugin_host_options* options, steptree_plugin_host** into) */
    AT(steptree_host_api, drop, 16, 8); /* void (*drop)(steptree_plugin_host* host) */
    AT(steptree_host_api, load, 24, 8); /* const steptree_error* (*load)(steptree_plugin_host* host, steptree_text path, steptree_value* into) */
    AT(steptree_host_api, step, 32, 8); /* const steptree_error* (*step)(steptree_plugin_host* host, steptree_text plugin, steptree_text handler, const steptree_definition** into) */
    AT(steptree_host_api, unload, 40, 8); /* const steptree_error* (*unload)(steptree_plugin_host* host, steptree_text plugin, const steptree_done* done) */
    AT(steptree_host_api, list, 48, 8); /* const steptree_error* (*list)(steptree_plugin_host* host, steptree_value* into) */
    AT(steptree_host_api, offer, 56, 8); /* const steptree_error* (*offer)(steptree_plugin_host* host, steptree_text name, const steptree_definition* value) */
    AT(steptree_host_api, withdraw, 64, 8); /* const steptree_error* (*withdraw)(steptree_plugin_host* host, steptree_text name) */
    AT(steptree_host_api, service, 72, 8); /* const steptree_error* (*service)(steptree_plugin_host* host, steptree_text name, const steptree_definition** into) */
    AT(steptree_api, size, 0, 4); /* uint32_t size */
    AT(steptree_api, version, 4, 4); /* uint32_t version */
    AT(steptree_api, release, 8, 16); /* steptree_text release */
    AT(steptree_api, error, 24, 8); /* const steptree_error_api* error */
    AT(steptree_api, value, 32, 8); /* const steptree_value_api* value */
    AT(steptree_api, add, 40, 8); /* const steptree_add_api* add */
    AT(steptree_api, step, 48, 8); /* const steptree_step_api* step */
    AT(steptree_api, completion, 56, 8); /* const steptree_completion_api* completion */
    AT(steptree_api, awaiter, 64, 8); /* const steptree_awaiter_api* awaiter */
    AT(steptree_api, canceller, 72, 8); /* const steptree_canceller_api* canceller */
    AT(steptree_api, state, 80, 8); /* const steptree_state_api* state */
    AT(steptree_api, flow, 88, 8); /* const steptree_flow_api* flow */
    AT(steptree_api, tool, 96, 8); /* const steptree_tool_api* tool */
    AT(steptree_api, handle, 104, 8); /* const steptree_handle_api* handle */
    AT(steptree_api, define, 112, 8); /* const steptree_define_api* define */
    AT(steptree_api, guard, 120, 8); /* const steptree_guard_api* guard */
    AT(steptree_api, channel, 128, 8); /* const steptree_channel_api* channel */
    AT(steptree_api, signal, 136, 8); /* const steptree_signal_api* signal */
    AT(steptree_api, scope, 144, 8); /* const steptree_scope_api* scope */
    AT(steptree_api, observe, 152, 8); /* const steptree_observe_api* observe */
    AT(steptree_api, host, 160, 8); /* const steptree_host_api* host */
    CHECK(sizeof(steptree_plugin_handler) == 56);
    AT(steptree_plugin_handler, name, 0, 16); /* steptree_text name */
    AT(steptree_plugin_handler, description, 16, 16); /* steptree_text description */
    AT(steptree_plugin_handler, least, 32, 4); /* uint32_t least */
    AT(steptree_plugin_handler, most, 36, 4); /* uint32_t most */
    AT(steptree_plugin_handler, body, 40, 8); /* steptree_body body */
    AT(steptree_plugin_handler, data, 48, 8); /* void* data */
    AT(steptree_plugin_info, size, 0, 4); /* uint32_t size */
    AT(steptree_plugin_info, abi, 4, 4); /* uint32_t abi */
    AT(steptree_plugin_info, name, 8, 16); /* steptree_text name */
    AT(steptree_plugin_info, version, 24, 16); /* steptree_text version */
    AT(steptree_plugin_info, handlers, 40, 8); /* const steptree_plugin_handler* handlers */
    AT(steptree_plugin_info, count, 48, 4); /* uint32_t count */
    AT(steptree_plugin_info, handler_size, 52, 4); /* uint32_t handler_size */
    AT(steptree_plugin_info, start, 56, 8); /* const steptree_error* (*start)(const steptree_api* api, steptree_plugin_host* host, void* data) */
    AT(steptree_plugin_info, stop, 64, 8); /* void (*stop)(void* data) */
    AT(steptree_plugin_info, data, 72, 8); /* void* data */
    CHECK(STEPTREE_NOTHING == 0);
    CHECK(STEPTREE_BOOL == 1);
    CHECK(STEPTREE_INT64 == 2);
    CHECK(STEPTREE_DOUBLE == 3);
    CHECK(STEPTREE_STRING == 4);
    CHECK(STEPTREE_BYTES == 5);
    CHECK(STEPTREE_LIST == 6);
    CHECK(STEPTREE_MAP == 7);
    CHECK(STEPTREE_OPAQUE == 8);
    CHECK(STEPTREE_OK == 0);
    CHECK(STEPTREE_ERROR == 1);
    CHECK(STEPTREE_CANCELLED == 2);
    CHECK(STEPTREE_TAKES_TIME == 1);
    CHECK(STEPTREE_UNORDERED == 2);
    CHECK(STEPTREE_RELEASES == 4);
    CHECK(STEPTREE_CLOSED == 8);
    CHECK(STEPTREE_ANY_THREAD == 16);
    CHECK(STEPTREE_GIVEN_BURST == 1);
    CHECK(STEPTREE_GIVEN_GRACE == 2);
    CHECK(STEPTREE_GIVEN_CHOICES == 4);
    CHECK(STEPTREE_GIVEN_MAX == 8);
    CHECK(STEPTREE_GIVEN_BASE == 16);
    CHECK(STEPTREE_GIVEN_FACTOR == 32);
    CHECK(STEPTREE_GIVEN_CAP == 64);
    CHECK(STEPTREE_GIVEN_JITTER == 128);
    CHECK(STEPTREE_GIVEN_CODES == 256);
    CHECK(STEPTREE_GIVEN_MAX_QUEUE == 512);
    CHECK(STEPTREE_GIVEN_RATE == 1024);
    CHECK(STEPTREE_GIVEN_PERIOD == 2048);
    CHECK(STEPTREE_GIVEN_CALLS == 4096);
    CHECK(STEPTREE_GIVEN_MIN_CALLS == 8192);
    CHECK(STEPTREE_GIVEN_OPEN_FOR == 16384);
    CHECK(STEPTREE_GIVEN_PROBES == 32768);
    CHECK(STEPTREE_GIVEN_SHARE == 65536);
    CHECK(STEPTREE_GIVEN_ALGORITHM == 131072);
    CHECK(STEPTREE_GIVEN_BODY == 262144);
    CHECK(STEPTREE_GIVEN_WAIT == 524288);
    CHECK(STEPTREE_MUTEX == 1);
    CHECK(STEPTREE_THROTTLE == 2);
    CHECK(STEPTREE_LIMITER == 3);
    CHECK(STEPTREE_RWLOCK == 4);
    CHECK(STEPTREE_GATE == 5);
    CHECK(STEPTREE_BARRIER == 6);
    CHECK(STEPTREE_BREAKER == 7);
    CHECK(STEPTREE_FIXED == 1);
    CHECK(STEPTREE_SLIDING == 2);
    CHECK(STEPTREE_BUCKET == 3);
    SAME(steptree_body, const steptree_error* (*)(steptree_step* asi, const steptree_args* args, void* data));
    SAME(steptree_handler, const steptree_error* (*)(steptree_step* asi, steptree_text code, void* data));
    SAME(steptree_hook, void (*)(const steptree_error* error, void* data));
    SAME(steptree_deferred, const steptree_error* (*)(steptree_step* asi, const steptree_outcome* outcome, void* data));
    SAME(steptree_decide, int32_t (*)(steptree_text code, const steptree_error* error, double* ms, void* data));
    SAME(steptree_key_options, const steptree_error* (*)(steptree_text key, steptree_guard_options* options, void* data));
    SAME(steptree_counted, void (*)(int64_t cancelled, void* data));
    SAME(steptree_observer, void (*)(const steptree_event* event, void* data));
    SAME(steptree_stuck, void (*)(uint64_t flow, steptree_text flow_name, steptree_text path, int64_t ms, void* data));
    /* function: const steptree_api* steptree_host(uint32_t version, const char** why) */
    /* function: const steptree_plugin_info* steptree_plugin(void) */
    /* macro: STEPTREE_ABI */
    /* macro: STEPTREE_HAS(table, member) ((size_t)((const char*)&(table)->member - (const char*)(table)) + sizeof((table)->member) <= (table)->size) */
    /* macro: STEPTREE_ADDER(handle) ((steptree_adder*)(handle)) */
    /* macro: STEPTREE_TEXT(literal) (steptree_text{"" literal, sizeof(literal) - 1}) */
    /* macro: STEPTREE_NO_TEXT (steptree_text{nullptr, 0}) */
    /* macro: STEPTREE_TEXT(literal) ((steptree_text){"" literal, sizeof(literal) - 1}) */
    /* macro: STEPTREE_NO_TEXT ((steptree_text){NULL, 0}) */
    /* macro: STEPTREE_TEXT_INIT(literal) { "" literal, sizeof(literal) - 1 } */
    /* macro: STEPTREE_HANDLER(name, description, least, most, body) { STEPTREE_TEXT_INIT(name), STEPTREE_TEXT_INIT(description), least, most, body, NULL } */
    /* macro: STEPTREE_PLUGIN(name, version, handlers, start, stop) const steptree_plugin_info* steptree_plugin(void) { static const steptree_plugin_info info = {sizeof info, STEPTREE_ABI, STEPTREE_TEXT_INIT(name), STEPTREE_TEXT_INIT(version), handlers, sizeof handlers / sizeof *handlers, sizeof *handlers, start, stop, NULL}; return &info; } */
}

void test_layout(void) {
    TEST("the layout of the header is the one that is recorded", is_recorded);
}
