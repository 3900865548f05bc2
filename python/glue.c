/* Between the C interface and Python: what the runtime calls. Python's objects are numbers here,
 * which `steptree/_abi.py` knows; 0 is none. When the interpreter ends, `alive` is set to 0:
 * nothing is called any more, and what is left isn't dropped. */

static const steptree_api* tables;
static volatile int alive = 1;

static int load(const char** why) {
    tables = steptree_host(STEPTREE_ABI, why);
    return tables != NULL;
}
static void end_of_python(void) {
    alive = 0;
}

static uintptr_t number_of(const void* data) {
    return (uintptr_t)data;
}
static void* data_of(uintptr_t number) {
    return (void*)number; /* never read through */
}

static const steptree_error* gone(void) {
    return tables->error->make((steptree_text){"InternalError", 13},
                               (steptree_text){"Python has ended", 16}, NULL);
}

/* ---- functions that the runtime is given ---- */

static void c_hook(const steptree_error* error, void* data) {
    if (alive) py_hook(error, number_of(data));
}
static void c_report(const steptree_error* error, void* data) {
    if (alive) py_report(error, number_of(data));
}
/* What `flows` of Python has the flow of a step under: the number of its hooks, or the inverse of
 * where its state is. */
static uintptr_t flow_of_step(steptree_step* asi) {
    const uintptr_t number = number_of(tables->step->flow_data(asi, &c_report));
    steptree_state* state;
    if (number != 0) return number;
    return tables->step->state(asi, &state) == NULL ? ~(uintptr_t)state : 0;
}
/* As C has it: what Python takes the address of is another function. */
static void set_report(steptree_options* to) {
    to->report = &c_report;
}
static uintptr_t flow_of_state(const steptree_state* state) {
    return ~(uintptr_t)state;
}

static void c_drop(void* data) {
    if (alive) py_drop(number_of(data));
}
static const steptree_error* c_body(steptree_step* asi, const steptree_args* args, void* data) {
    return alive ? py_body(asi, args->values, args->count, number_of(data), flow_of_step(asi))
                 : gone();
}
static const steptree_error* c_handler(steptree_step* asi, steptree_text code, void* data) {
    return alive ? py_handler(asi, code.data, code.size, number_of(data), flow_of_step(asi))
                 : gone();
}
static const steptree_error* c_cancel(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    return alive ? py_cancel(asi, number_of(data), flow_of_step(asi)) : NULL;
}
static const steptree_error* c_lock(steptree_step* asi, const steptree_args* args, void* data) {
    (void)args;
    return alive ? py_lock(asi, number_of(data), flow_of_step(asi)) : gone();
}
static const steptree_error* c_deferred(steptree_step* asi, const steptree_outcome* outcome,
                                        void* data) {
    return alive ? py_deferred(asi, outcome, number_of(data), flow_of_step(asi)) : NULL;
}
static void c_done(const steptree_outcome* outcome, void* data) {
    if (alive) py_done(outcome, number_of(data));
}
static void c_call(void* data) {
    if (alive) py_call(number_of(data));
}
static void c_subscribe(steptree_awaiter awaiter, void* data) {
    if (alive) py_subscribe(awaiter.slot, awaiter.generation, number_of(data));
}
static int32_t c_stop(void* data) {
    return alive ? py_stop(number_of(data)) : 0;
}
static void* c_begin(void* data) {
    return data_of(alive ? py_begin(number_of(data)) : 0);
}
static const steptree_error* c_next(void* run, steptree_value* into, int32_t* has) {
    return alive ? py_next(number_of(run), into, has) : gone();
}
static void c_end(void* run) {
    if (alive) py_end(number_of(run));
}
static const steptree_error* c_sink(const steptree_args* result, uint64_t number, void* data) {
    return alive ? py_sink(result->values, result->count, number, number_of(data)) : gone();
}
static int32_t c_decide(steptree_text code, const steptree_error* error, double* ms, void* data) {
    (void)code;
    return alive ? py_decide(error, ms, number_of(data)) : 0;
}
static const steptree_error* c_failure(steptree_text code, const steptree_error* error, int32_t* is,
                                       void* data) {
    (void)code;
    return alive ? py_failure(error, is, number_of(data)) : gone();
}
static const steptree_error* c_key(steptree_text key, steptree_guard_options* options, void* data) {
    return alive ? py_key(key.data, key.size, options, number_of(data)) : gone();
}
static void c_counted(int64_t cancelled, void* data) {
    if (alive) py_counted(cancelled, number_of(data));
}
static void c_event(const steptree_event* event, void* data) {
    if (alive) py_event(event, number_of(data));
}

/* The kind of all Python objects that are no values of C. */
static const steptree_kind python_kind = {sizeof python_kind, 0, {"Python object", 13}, &c_drop};

/* ---- values, in one call each ---- */

static void set_bool(steptree_value* to, int64_t value) {
    to->tag = STEPTREE_BOOL;
    to->of.boolean = value;
}
static void set_int(steptree_value* to, int64_t value) {
    to->tag = STEPTREE_INT64;
    to->of.integer = value;
}
static void set_double(steptree_value* to, double value) {
    to->tag = STEPTREE_DOUBLE;
    to->of.number = value;
}
static void set_text(steptree_value* to, uint32_t type, const char* data, size_t size) {
    to->tag = type;
    to->of.text.data = data;
    to->of.text.size = size;
}
static void set_list(steptree_value* to, const steptree_value* items, size_t count) {
    to->tag = STEPTREE_LIST;
    to->of.list.items = items;
    to->of.list.count = count;
}
static void set_map(steptree_value* to, const steptree_entry* entries, size_t count) {
    to->tag = STEPTREE_MAP;
    to->of.map.entries = entries;
    to->of.map.count = count;
}
static void set_object(steptree_value* to, uintptr_t number) {
    to->tag = STEPTREE_OPAQUE;
    to->of.opaque.pointer = data_of(number);
    to->of.opaque.kind = &python_kind;
}
static int64_t int_in(const steptree_value* of) {
    return of->of.integer;
}
static double double_in(const steptree_value* of) {
    return of->of.number;
}
static const char* data_in(const steptree_value* of) {
    return of->of.text.data;
}
static const steptree_value* items_in(const steptree_value* of) {
    return of->of.list.items;
}
static const steptree_entry* entries_in(const steptree_value* of) {
    return of->of.map.entries;
}
static size_t count_in(const steptree_value* of) {
    return of->tag == STEPTREE_MAP    ? of->of.map.count
           : of->tag == STEPTREE_LIST ? of->of.list.count
                                      : of->of.text.size;
}
/* 0: it is none of Python's. */
static uintptr_t object_in(const steptree_value* of) {
    return of->of.opaque.kind == &python_kind ? number_of(of->of.opaque.pointer) : 0;
}

/* ---- adding ---- */

static void set_closure(steptree_closure* to, uintptr_t number, int has_body, int handles,
                        const steptree_definition* value) {
    to->body = has_body ? &c_body : NULL;
    to->data = data_of(number);
    to->drop = number != 0 ? &c_drop : NULL;
    to->onerror = handles ? &c_handler : NULL;
    to->value = value;
}
/* The most frequent of all calls. */
static const steptree_error* add_body(steptree_adder* to, uintptr_t number, int handles) {
    const steptree_closure closure = {&c_body, data_of(number), &c_drop,
                                      handles ? &c_handler : NULL, NULL};
    return tables->add->step(to, &closure);
}

/* ---- errors ---- */

static const steptree_error* python_error(int32_t errnum, steptree_text info, uintptr_t number,
                                          const steptree_error* cause) {
    const steptree_opaque object = {data_of(number), &python_kind};
    return tables->error->of_object(errnum, info, object, cause);
}
static uintptr_t object_number(steptree_opaque of) {
    return of.kind == &python_kind ? number_of(of.pointer) : 0;
}
static steptree_text kind_name(const steptree_value* of) {
    return of->of.opaque.kind->name;
}

/* ---- what Python can't say in a word ---- */

static steptree_adder* of_step(steptree_step* asi) {
    return (steptree_adder*)asi;
}
static steptree_adder* of_flow(steptree_flow* flow) {
    return (steptree_adder*)flow;
}
static steptree_text no_text(void) {
    return (steptree_text){NULL, 0};
}
static steptree_text empty_text(void) {
    return (steptree_text){"", 0};
}

/* ---- what most bodies return ---- */

static const steptree_error* give_int(steptree_step* asi, int64_t value) {
    steptree_value given = {STEPTREE_INT64, 0, {0}, NULL};
    given.of.integer = value;
    return tables->step->give(asi, &given, 1);
}
static const steptree_error* give_text(steptree_step* asi, const char* data, size_t size) {
    steptree_value given = {STEPTREE_STRING, 0, {0}, NULL};
    given.of.text.data = data;
    given.of.text.size = size;
    return tables->step->give(asi, &given, 1);
}
