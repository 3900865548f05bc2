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

/// From outside it has ended the wait, and still throws, since such calls never return. An accessor
/// that was not valid before throws because of that.
template <class Call>
void leave(const Context& c, Call call) {
    const bool claims = c.outside && !c.prolonged && c.asi->valid();
    try {
        call(*c.asi);
    } catch (...) {
        if (!claims) throw;
    }
}

void fail(World&, const Context& c, const Json& a) {
    leave(c, [&](auto& asi) { asi.error(textOf(a, "error"), textOf(a, "info")); });
}

void setTimeout(World&, const Context& c, const Json& a) {
    if (!a.contains("code")) return c.asi->setTimeout(numberOf(a["setTimeout"]));
    c.asi->setTimeout(numberOf(a["setTimeout"]), textOf(a, "code"));
}

void setCancel(World& world, const Context& c, const Json& a) {
    c.asi->setCancel([&world, id = c.id, &actions = a["setCancel"]](steptree::IAsyncSteps& asi) {
        if (!id.empty()) world.log(id, "~");
        perform(world, {&asi, id}, actions);
    });
}

bool mentions(const Json& actions, const char* action) {
    const Quiet quiet;
    return actions.dump().find('"' + std::string(action) + '"') != std::string::npos;
}

void defer(World& world, const Context& c, const Json& a) {
    const Code code{world, textOf(a, "defer"), part(a, "do")};
    const auto put = [&](auto body) { c.asi->defer(std::move(body)); };
    if (!mentions(code.actions, "outcome")) return withBody<>(code, put);
    withBody<const steptree::Outcome&>(code, put);
}

void tellOutcome(World& world, const Context& c, const Json&) {
    world.log("outcome=", c.outcome);
}

void remaining(World& world, const Context& c, const Json&) {
    const auto left = c.asi->remaining();
    const Quiet quiet;
    world.log("remaining=", (left == INT64_MAX ? "Infinity" : std::to_string(left)));
}

void waitExternal(World& world, const Context& c, const Json& a) {
    steptree::Completion completion = c.asi->waitExternal();
    const Quiet quiet;
    if (part(a, "waitExternal").is_string())
        world.completions[textOf(a, "waitExternal")] = completion;
}

void newInstance(World& world, const Context& c, const Json& a) {
    const auto name = textOf(a, "newInstance");
    world.adopt(name, newInstance(*c.asi));
    addForms(world, world.flow(name), part(a, "steps"));
}

/// Where memory is short a step may end before the case has done with its accessor.
class Forgets {
  public:
    Forgets(World& world, const std::string& name) : world_(world), name_(name) {}
    Forgets(const Forgets&) = delete;
    Forgets& operator=(const Forgets&) = delete;
    ~Forgets() {
        const auto kept = world_.contexts.find(name_);
        if (kept != world_.contexts.end()) kept->second = {nullptr, "", true, false, true};
    }

  private:
    World& world_;
    std::string name_;
};

void keep(World& world, const Context& c, const Json& a) {
    const Quiet quiet;
    const auto name = textOf(a, "keep");
    if (Memory::mayFail && c.asi->valid()) c.asi->stack<Forgets>(world, name);
    world.contexts[name] = c;
}

void state(World& world, const Context& c, const Json& a) {
    const auto key = textOf(a, "state");
    if (a.contains("set")) {
        c.asi->state().set(key, Value(a["set"]));
        return;
    }
    const Value* value = c.asi->state().find<Value>(key);
    const Quiet quiet;
    world.log(key, "=", (value == nullptr ? "-" : value->dump()));
}

void local(World& world, const Context& c, const Json& a) {
    const auto name = textOf(a, "local");
    const steptree::Local<Value>& named = world.local(name);
    if (a.contains("set")) return named.set(*c.asi, a["set"]);
    const Value* value = named.get(*c.asi);
    const Quiet quiet;
    world.log(name, "=", (value == nullptr ? "-" : value->dump()));
}

const std::map<std::string, Run> kOwn{
    {"success",
     [](World&, const Context& c, const Json& a) {
         withSpread(part(a, "success"), [&](const auto&... value) { c.asi->success(value...); });
     }},
    {"error", &fail},
    {"errorNoThrow",
     [](World&, const Context& c, const Json& a) {
         c.asi->errorNoThrow(textOf(a, "errorNoThrow"), textOf(a, "info"));
     }},
    {"break",
     [](World&, const Context& c, const Json& a) {
         leave(c, [&](auto& asi) { asi.breakLoop(textOf(a, "break")); });
     }},
    {"continue",
     [](World&, const Context& c, const Json& a) {
         leave(c, [&](auto& asi) { asi.continueLoop(textOf(a, "continue")); });
     }},
    {"breakNoThrow", [](World&, const Context& c,
                        const Json& a) { c.asi->breakNoThrow(textOf(a, "breakNoThrow")); }},
    {"continueNoThrow",
     [](World&, const Context& c, const Json& a) {
         c.asi->continueNoThrow(textOf(a, "continueNoThrow"));
     }},
    {"send", [](World& w, const Context& c,
                const Json& a) { w.channel(textOf(a, "send")).send(*c.asi, Value(a["value"])); }},
    {"receive", [](World& w, const Context& c,
                   const Json& a) { w.channel(textOf(a, "receive")).receive(*c.asi); }},
    {"waitAt", [](World& w, const Context& c,
                  const Json& a) { World::found(w.waitings, textOf(a, "waitAt"))(*c.asi); }},
    {"setTimeout", &setTimeout},
    {"setCancel", &setCancel},
    {"defer", &defer},
    {"outcome", &tellOutcome},
    {"remaining", &remaining},
    {"waitExternal", &waitExternal},
    {"signal", &listen},
    {"keep", &keep},
    {"return", [](World&, const Context&, const Json&) {}},
    {"returnStep", [](World&, const Context&, const Json&) {}},
    {"returnValue", [](World&, const Context&, const Json&) {}},
    {"newInstance", &newInstance},
    {"show", [](World& w, const Context& c, const Json& a) { w.log(show(*c.asi, a["show"])); }},
    {"throwValue", [](World&, const Context&, const Json& a) { throw a["throwValue"].get<int>(); }},
    {"state", &state},
    {"local", &local},
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
