#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "boundvalues.hpp"
#include "given.hpp"
#include "outcomes.hpp"
#include "plugincore.hpp"
#include "sink.hpp"
#include "tables.hpp"
#include "tools.hpp"

/// Hosts of plug-ins.
namespace steptree::cabi::hostcalls {

namespace {

using detail::PluginCore;
using Host = steptree_plugin_host*;
using Into = const steptree_definition**;

/// Of a plug-in's handle it may have gone.
std::shared_ptr<PluginCore> coreOf(const steptree_plugin_host* host) {
    std::shared_ptr<PluginCore> core = host->core.lock();
    if (core == nullptr) misuse("the host of the plug-ins has gone");
    return core;
}

Value numberOf(std::uint64_t number) {
    return Value(static_cast<std::int64_t>(number));
}

template <std::size_t n>
Value mapOf(const std::pair<std::string_view, Value> (&members)[n]) {
    std::vector<std::pair<Value, Value>> entries;
    entries.reserve(n);
    for (const auto& [key, value] : members) entries.emplace_back(Value(key), value);
    return Value::mapOf(entries);
}

const char* nameOf(PluginPhase phase) noexcept {
    switch (phase) {
        case PluginPhase::serves:
            return "serves";
        case PluginPhase::leaves:
            return "leaves";
        case PluginPhase::stopped:
            break;
    }
    return "stopped";
}

Value textValue(std::string_view text) {
    return Value(text);
}

Value valueOf(const PluginInfo& info) {
    std::vector<Value> handlers;
    handlers.reserve(info.handlers.size());
    for (const PluginHandler& handler : info.handlers) {
        handlers.push_back(mapOf({{"name", textValue(handler.name)},
                                  {"description", textValue(handler.description)},
                                  {"least", numberOf(handler.least)},
                                  {"most", numberOf(handler.most)}}));
    }
    return mapOf({{"name", textValue(info.name)},
                  {"version", textValue(info.version)},
                  {"path", textValue(info.path)},
                  {"generation", numberOf(info.generation)},
                  {"phase", textValue(nameOf(info.phase))},
                  {"handlers", Value::listOf(handlers)},
                  {"steps", numberOf(info.steps)},
                  {"functions", numberOf(info.functions)},
                  {"values", numberOf(info.values)},
                  {"completions", numberOf(info.completions)}});
}

const steptree_error* make(steptree_tool* tool, const steptree_plugin_host_options* from,
                           Host* into) {
    return attempt([&] {
        const Given<steptree_plugin_host_options> given(from);
        given.check();
        PluginHostOptions options{std::string(view(given->directory))};
        auto own = std::make_shared<PluginCore>(tool->tool(), std::move(options));
        *into = new steptree_plugin_host{own, own->services(), {}, own};
    });
}

/// Of one that a plug-in was given: nothing.
void drop(Host host) {
    if (host == nullptr || host->own == nullptr) return;
    const Sheltered sheltered;
    host->own->close();
    delete host;
}

const steptree_error* load(Host host, steptree_text path, steptree_value* into) {
    return attempt([&] {
        const Sheltered sheltered;
        Value told;
        coreOf(host)->load(std::string(view(path)), [&](const PluginInfo& info) {
            if (into != nullptr) told = valueOf(info);
        });
        if (into != nullptr) giveTo(into, std::move(told));
    });
}

const steptree_error* step(Host host, steptree_text plugin, steptree_text handler, Into into) {
    return attempt([&] { give(coreOf(host)->step(view(plugin), view(handler)), into); });
}

const steptree_error* unload(Host host, steptree_text plugin, const steptree_done* done) {
    return attempt([&] {
        Done told(done == nullptr ? steptree_done{} : *done);
        const Sheltered sheltered;
        coreOf(host)
            ->unload(view(plugin))
            .onSettled([told = std::move(told)](const Future<void>& settled) {
                Outcome outcome;
                if (settled.isFailed()) {
                    outcome.kind = OutcomeKind::error;
                    outcome.error = settled.error();
                    const steptree_error error(outcome.error);
                    outcome.code = error.step ? error.step->code() : error.code;
                    outcome.reason = error.step ? error.step->info() : error.info;
                }
                told(outcome);
            });
    });
}

const steptree_error* list(Host host, steptree_value* into) {
    return attempt([&] {
        std::vector<Value> all;
        for (const PluginInfo& info : coreOf(host)->list()) all.push_back(valueOf(info));
        giveTo(into, Value::listOf(all));
    });
}

const steptree_error* offer(Host host, steptree_text name, const steptree_definition* value) {
    return attempt([&] {
        const Sheltered sheltered;
        coreOf(host)->services()->offer(view(name), stepOf(value), host->offerer);
    });
}

const steptree_error* withdraw(Host host, steptree_text name) {
    return attempt([&] {
        const Sheltered sheltered;
        coreOf(host)->services()->withdraw(view(name), host->offerer);
    });
}

const steptree_error* service(Host host, steptree_text name, Into into) {
    return attempt([&] { give(serviceStep(host->services, std::string(view(name))), into); });
}

}  // namespace

const steptree_error* addService(steptree_adder* to, Host host, steptree_text name,
                                 const steptree_value* values, std::size_t count,
                                 const steptree_closure* closure) {
    return attempt([&] {
        withHandler(closure, [&](auto handler) {
            const AnyStep called = serviceStep(host->services, std::string(view(name)));
            Sink(to).add(values == nullptr ? called : BoundValues::of(called, values, count),
                         std::move(handler));
        });
    });
}

const steptree_host_api kApi{sizeof(kApi), 0,     &make,  &drop,     &load,   &step,
                             &unload,      &list, &offer, &withdraw, &service};

}  // namespace steptree::cabi::hostcalls
