#include "own.hpp"

#include <map>

#include "actions.hpp"
#include "bodies.hpp"
#include "forms.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace conformance {

namespace {

using Run = void (*)(World&, const Context&, const Json&);

std::string text(const Json& action, const char* key) {
    const auto value = action.find(key);
    return value == action.end() || value->is_null() ? "" : value->get<std::string>();
}

/// From outside it has ended the wait, and still throws, since error() never returns. An accessor
/// that was not valid before throws because of that.
void fail(World&, const Context& c, const Json& a) {
    const bool claims = c.outside && !c.prolonged && c.asi->valid();
    try {
        c.asi->error(text(a, "error"), text(a, "info"));
    } catch (const steptree::StepError&) {
        if (!claims) throw;
    }
}

void setTimeout(World&, const Context& c, const Json& a) {
    c.asi->setTimeout(numberOf(a["setTimeout"]));
}

void setCancel(World& world, const Context& c, const Json& a) {
    c.asi->setCancel([&world, id = c.id, actions = a["setCancel"]](steptree::IAsyncSteps& asi) {
        if (!id.empty()) world.log(id + "~");
        perform(world, {&asi, id}, actions);
    });
}

void defer(World& world, const Context& c, const Json& a) {
    const Code code{world, text(a, "defer"), a.value("do", Json::array())};
    withBody<>(code, [&](auto body) { c.asi->defer(std::move(body)); });
}

void remaining(World& world, const Context& c, const Json&) {
    const auto left = c.asi->remaining();
    const bool none = left == std::chrono::milliseconds::max();
    world.log("remaining=" + (none ? "Infinity" : std::to_string(left.count())));
}

void waitExternal(World& world, const Context& c, const Json& a) {
    steptree::Completion completion = c.asi->waitExternal();
    if (a["waitExternal"].is_string()) world.completions[text(a, "waitExternal")] = completion;
}

void newInstance(World& world, const Context& c, const Json& a) {
    const auto name = text(a, "newInstance");
    world.adopt(name, c.asi->newInstance());
    addForms(world, world.flow(name), a.value("steps", Json::array()));
}

void state(World& world, const Context& c, const Json& a) {
    const auto key = text(a, "state");
    if (a.contains("set")) {
        c.asi->state().set(key, a["set"]);
        return;
    }
    const Json* value = c.asi->state().find<Json>(key);
    world.log(key + "=" + (value == nullptr ? "-" : value->dump()));
}

const std::map<std::string, Run> kOwn{
    {"success",
     [](World&, const Context& c, const Json& a) {
         const Json values = a["success"].is_array() ? a["success"] : Json::array();
         withSpread(values, [&](const auto&... value) { c.asi->success(value...); });
     }},
    {"error", &fail},
    {"errorNoThrow",
     [](World&, const Context& c, const Json& a) {
         c.asi->errorNoThrow(text(a, "errorNoThrow"), text(a, "info"));
     }},
    {"break", [](World&, const Context& c, const Json& a) { c.asi->breakLoop(text(a, "break")); }},
    {"continue",
     [](World&, const Context& c, const Json& a) { c.asi->continueLoop(text(a, "continue")); }},
    {"breakNoThrow",
     [](World&, const Context& c, const Json& a) { c.asi->breakNoThrow(text(a, "breakNoThrow")); }},
    {"continueNoThrow", [](World&, const Context& c,
                           const Json& a) { c.asi->continueNoThrow(text(a, "continueNoThrow")); }},
    {"lock", [](World& w, const Context& c,
                const Json& a) { World::found(w.guards, text(a, "lock"))->lock(*c.asi); }},
    {"unlock", [](World& w, const Context& c,
                  const Json& a) { World::found(w.guards, text(a, "unlock"))->unlock(*c.asi); }},
    {"send", [](World& w, const Context& c,
                const Json& a) { w.channel(text(a, "send")).send(*c.asi, a["value"]); }},
    {"receive", [](World& w, const Context& c,
                   const Json& a) { w.channel(text(a, "receive")).receive(*c.asi); }},
    {"setTimeout", &setTimeout},
    {"setCancel", &setCancel},
    {"defer", &defer},
    {"remaining", &remaining},
    {"waitExternal", &waitExternal},
    {"signal", &listen},
    {"keep", [](World& w, const Context& c, const Json& a) { w.contexts[text(a, "keep")] = c; }},
    {"return", [](World&, const Context&, const Json&) {}},
    {"newInstance", &newInstance},
    {"show", [](World& w, const Context& c, const Json& a) { w.log(show(*c.asi, a["show"])); }},
    {"throwValue", [](World&, const Context&, const Json& a) { throw a["throwValue"]; }},
    {"state", &state},
    {"valid", [](World& w, const Context& c,
                 const Json&) { w.log(c.asi->valid() ? "valid=true" : "valid=false"); }},
};

}  // namespace

void performOwn(World& world, const Context& context, const std::string& name, const Json& action) {
    const auto run = kOwn.find(name);
    if (run == kOwn.end()) throw Fault("no action '" + name + "'");
    run->second(world, context, action);
}

}  // namespace conformance
