// What JavaScript calls: `native/ts/binding.ts` says what each gives. An exception of C++ becomes
// one of JavaScript here.
#include <cmath>
#include <exception>
#include <string>

#include "errors.hpp"
#include "host.hpp"
#include "js.hpp"
#include "values.hpp"

namespace steptree::native {

namespace {

constexpr std::size_t kMost = 8;
/// Of a call's values.
constexpr std::size_t kFirst = 4;

struct Given {
    napi_env env;
    Host& host;
    napi_value values[kMost];
    std::size_t count;
};

/// Throws what describes it: `ts/errors.ts` makes the error.
void throwTo(napi_env env) noexcept {
    bool isPending = false;
    napi_is_exception_pending(env, &isPending);
    if (isPending) return;
    napi_throw(env, describe(env, cabi::failed()));
}

using Function = napi_value (*)(Given&);

template <Function function>
napi_value called(napi_env env, napi_callback_info info) {
    void* data = nullptr;
    std::size_t count = kMost;
    napi_value values[kMost];
    napi_get_cb_info(env, info, &count, values, nullptr, &data);
    Given given{env, *static_cast<Host*>(data), {}, count};
    std::copy_n(values, std::min(count, kMost), given.values);
    try {
        if (given.host.env() == nullptr) return nullptr;
        return function(given);
    } catch (...) {
        throwTo(env);
        return nullptr;
    }
}

napi_value infoOf(napi_env env, const PluginInfo& info) {
    const napi_value made = objectOf(env);
    set(env, made, "name", textOf(env, info.name));
    set(env, made, "version", textOf(env, info.version));
    set(env, made, "path", textOf(env, info.path));
    set(env, made, "generation", numberOf(env, static_cast<double>(info.generation)));
    const char* const phases[] = {"serves", "leaves", "stopped"};
    set(env, made, "phase", textOf(env, phases[static_cast<int>(info.phase)]));
    napi_value handlers = nullptr;
    napi_create_array(env, &handlers);
    for (std::uint32_t i = 0; i < info.handlers.size(); ++i) {
        const PluginHandler& handler = info.handlers[i];
        const napi_value one = objectOf(env);
        set(env, one, "name", textOf(env, handler.name));
        set(env, one, "description", textOf(env, handler.description));
        set(env, one, "least", numberOf(env, handler.least));
        set(env, one, "most", numberOf(env, handler.most));
        napi_set_element(env, handlers, i, one);
    }
    set(env, made, "handlers", handlers);
    set(env, made, "steps", numberOf(env, static_cast<double>(info.steps)));
    set(env, made, "functions", numberOf(env, static_cast<double>(info.functions)));
    set(env, made, "values", numberOf(env, static_cast<double>(info.values)));
    set(env, made, "completions", numberOf(env, static_cast<double>(info.completions)));
    return made;
}

/// (path): what is loaded.
napi_value load(Given& given) {
    return infoOf(given.env, given.host.plugins().load(stringOf(given.env, given.values[0])));
}

/// All that is loaded.
napi_value list(Given& given) {
    napi_value made = nullptr;
    napi_create_array(given.env, &made);
    std::uint32_t i = 0;
    for (const PluginInfo& info : given.host.plugins().list())
        napi_set_element(given.env, made, i++, infoOf(given.env, info));
    return made;
}

/// (plugin, resolve): `resolve` is called when it is gone.
napi_value unload(Given& given) {
    Host& host = given.host;
    const auto gone = host.plugins().unload(stringOf(given.env, given.values[0]));
    napi_ref resolve = nullptr;
    napi_create_reference(given.env, given.values[1], 1, &resolve);
    try {
        gone.onSettled([&host, resolve](const auto&) {
            const napi_env env = host.env();
            if (env == nullptr) return;
            const HandleScope scope(env);
            napi_value function = nullptr;
            napi_get_reference_value(env, resolve, &function);
            napi_call_function(env, undefinedOf(env), function, 0, nullptr, nullptr);
            napi_delete_reference(env, resolve);
        });
    } catch (...) {
        napi_delete_reference(given.env, resolve);
        throw;
    }
    host.pass();
    return nullptr;
}

/// (plugin, handler): its number.
napi_value handler(Given& given) {
    return numberOf(given.env, given.host.handler(stringOf(given.env, given.values[0]),
                                                  stringOf(given.env, given.values[1])));
}

/// What it gets. False: that can't be read, as code of the program has thrown.
bool give(Given& given, Call& call) {
    for (std::size_t i = kFirst; i < given.count; ++i)
        call.give(fromJs(given.env, given.host.lender(), given.values[i]));
    bool isPending = false;
    napi_is_exception_pending(given.env, &isPending);
    return !isPending;
}

/// Null: as give().
Ended run(Given& given, Call& call, napi_value* result) {
    const napi_env env = given.env;
    Host& host = given.host;
    const napi_value* const values = given.values;
    std::uint32_t number = 0;
    napi_get_value_uint32(env, values[1], &number);
    try {
        if (!give(given, call)) {
            call.forget();
            return Ended::one;
        }
        host.begin(call, [&] { call.begin(host.handler(number), doubleOf(env, values[2])); });
    } catch (...) {
        call.forget();
        *result = describe(env, cabi::failed());
        return Ended::failed;
    }
    return call.result(result);
}

/// (ended, handler, ms, grace, ...values): its result, what has failed, or its number: `ended[0]`
/// says which.
napi_value call(Given& given) {
    const auto& [env, host, values, count] = given;
    Call& call = host.take(doubleOf(env, values[3]));
    napi_value result = nullptr;
    const Ended ended = run(given, call, &result);
    if (ended == Ended::open) {
        host.keep();
        result = numberOf(env, call.number());
    } else {
        host.release(call);
    }
    if (ended != Ended::one)
        napi_set_element(env, values[0], 0, numberOf(env, static_cast<int>(ended)));
    return result;
}

/// (call): whether nothing of it is open any more; else it will be told.
napi_value cancel(Given& given) {
    std::uint32_t number = 0;
    napi_get_value_uint32(given.env, given.values[0], &number);
    Call& call = given.host.call(number);
    const bool isClosed = call.cancel();
    if (isClosed) given.host.releaseKept(call);
    napi_value made = nullptr;
    napi_get_boolean(given.env, isClosed, &made);
    return made;
}

/// (call): its snapshot.
napi_value look(Given& given) {
    std::uint32_t number = 0;
    napi_get_value_uint32(given.env, given.values[0], &number);
    return given.host.call(number).look(given.env);
}

/// (whether its time has come)
napi_value pump(Given& given) {
    bool ticked = false;
    if (given.count > 0) napi_get_value_bool(given.env, given.values[0], &ticked);
    if (ticked) given.host.ticked();
    given.host.pass();
    return nullptr;
}

/// (name, step, element of paths)
napi_value offer(Given& given) {
    const auto& [env, host, values, count] = given;
    host.services().offer(stringOf(env, values[0]), values[1], stringOf(env, values[2]));
    return nullptr;
}

/// (name)
napi_value withdraw(Given& given) {
    given.host.services().withdraw(stringOf(given.env, given.values[0]));
    return nullptr;
}

/// (call of a service, how it has ended, ...values; of a failure its error, code, info, causes)
napi_value served(Given& given) {
    const auto& [env, host, values, count] = given;
    std::uint32_t number = 0;
    std::uint32_t how = 0;
    napi_get_value_uint32(env, values[0], &number);
    napi_get_value_uint32(env, values[1], &how);
    if (how == static_cast<std::uint32_t>(Ended::failed)) {
        host.services().fail(number, values[2], stringOf(env, values[3]), stringOf(env, values[4]),
                             stringsOf(env, values[5]));
    } else if (how == static_cast<std::uint32_t>(Ended::cancelled)) {
        host.services().closed(number);
    } else {
        host.services().succeed(number, values + 2, count - 2);
    }
    return nullptr;
}

/// (0: events of calls aren't told, 1: they are, 2: bodies, too)
napi_value observe(Given& given) {
    const double level = doubleOf(given.env, given.values[0]);
    given.host.events().observe(level > 0, level > 1);
    return nullptr;
}

/// What is open and kept: numbers.
napi_value counts(Given& given) {
    const napi_value made = objectOf(given.env);
    const Host& host = given.host;
    given.host.lender().collect();
    set(given.env, made, "calls", numberOf(given.env, static_cast<double>(host.calls())));
    set(given.env, made, "waiting", numberOf(given.env, static_cast<double>(host.waiting())));
    set(given.env, made, "lent",
        numberOf(given.env, static_cast<double>(given.host.lender().lent())));
    set(given.env, made, "services",
        numberOf(given.env, static_cast<double>(given.host.services().open())));
    set(given.env, made, "observers", numberOf(given.env, host.observes() ? 1 : 0));
    set(given.env, made, "wakes", numberOf(given.env, static_cast<double>(host.wakes())));
    return made;
}

void add(napi_env env, napi_value to, const char* name, napi_callback callback, void* host) {
    napi_value function = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, host, &function);
    set(env, to, name, function);
}

/// (pump, schedule, tell, report, serve, cancel, hear, time): all else.
napi_value open(napi_env env, napi_callback_info info) {
    std::size_t count = 8;
    napi_value given[8];
    napi_get_cb_info(env, info, &count, given, nullptr, nullptr);
    try {
        auto* const host = new Host(
            env,
            {given[0], given[1], given[2], given[3], {given[4], given[5]}, given[6], given[7]});
        napi_add_env_cleanup_hook(
            env, [](void* of) { delete static_cast<Host*>(of); }, host);
        const napi_value made = objectOf(env);
        add(env, made, "load", &called<&load>, host);
        add(env, made, "list", &called<&list>, host);
        add(env, made, "unload", &called<&unload>, host);
        add(env, made, "handler", &called<&handler>, host);
        add(env, made, "call", &called<&call>, host);
        add(env, made, "cancel", &called<&cancel>, host);
        add(env, made, "look", &called<&look>, host);
        add(env, made, "pump", &called<&pump>, host);
        add(env, made, "offer", &called<&offer>, host);
        add(env, made, "withdraw", &called<&withdraw>, host);
        add(env, made, "served", &called<&served>, host);
        add(env, made, "observe", &called<&observe>, host);
        add(env, made, "counts", &called<&counts>, host);
        return made;
    } catch (...) {
        throwTo(env);
        return nullptr;
    }
}

}  // namespace

}  // namespace steptree::native

NAPI_MODULE_INIT() {
    steptree::native::add(env, exports, "open", &steptree::native::open, nullptr);
    return exports;
}
