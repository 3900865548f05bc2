#include "actions.hpp"

#include <limits>
#include <map>
#include <string>
#include <utility>

#include "events.hpp"
#include "executions.hpp"
#include "forms.hpp"
#include "guards.hpp"
#include "own.hpp"
#include "signals.hpp"
#include "snapshots.hpp"
#include "text.hpp"

namespace conformance {

namespace {

using Run = void (*)(World&, const Context&, const Json&);

const char* word(bool value) {
    return value ? "=true" : "=false";
}

/// Sets whose code runs, for as long as it does.
class Current {
  public:
    Current(World& world, steptree::IAsyncSteps* asi) : world_(world), before_(world.current) {
        world_.current = asi;
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() { world_.current = before_; }

  private:
    World& world_;
    steptree::IAsyncSteps* before_;
};

void performAll(World& world, const Context& context, const Json& actions);

void tryActions(World& world, const Context& context, const Json& action) {
    try {
        performAll(world, context, action["try"]);
    } catch (const Fault&) {
        throw;
    } catch (...) {
        const Quiet quiet;
        world.log("caught ", codeOf(std::current_exception()));
    }
}

void callCompletion(World& world, const Context&, const Json& action) {
    const auto name = textOf(action, "done");
    const auto known = world.completions.find(name);
    if (known == world.completions.end()) return world.log(name, "=-");
    steptree::Completion& completion = known->second;
    bool result = false;
    if (action.contains("valid")) {
        result = completion.valid();
    } else if (action.contains("error")) {
        result = completion.error(textOf(action, "error"), textOf(action, "info"));
    } else {
        withSpread(part(action, "success"),
                   [&](const auto&... values) { result = completion.success(values...); });
    }
    world.log(name, word(result));
}

void withKept(World& world, const Context&, const Json& action) {
    if (Memory::mayFail && !world.contexts.contains(textOf(action, "with"))) return;
    Context kept = World::found(world.contexts, textOf(action, "with"));
    kept.outside = kept.asi != world.current;
    performAll(world, kept, action["do"]);
}

void settlePromise(World& world, const Context&, const Json& action) {
    NamedPromise promise = world.promise(textOf(action, "settle"));
    if (action.contains("error")) {
        promise.reject(std::make_exception_ptr(
            steptree::StepError(textOf(action, "error"), textOf(action, "info"))));
    } else if (action.contains("value")) {
        promise.resolve(Value(action["value"]));
    } else {
        promise.resolve({});
    }
}

void keepHandle(World& world, const Json& action, steptree::Handle handle) {
    const Quiet quiet;
    if (action.contains("as")) world.handles[textOf(action, "as")] = std::move(handle);
}

void immediate(World& world, const Context&, const Json& action) {
    keepHandle(world, action, world.tool.immediate([&world, &actions = action["immediate"]] {
        external(world, actions);
    }));
}

void deferred(World& world, const Context&, const Json& action) {
    keepHandle(
        world, action,
        world.tool.deferred(action["deferred"].get<std::int64_t>(),
                            [&world, &actions = action["do"]] { external(world, actions); }));
}

const std::map<std::string, Run> kAnywhere{
    {"log", [](World& w, const Context&, const Json& a) { w.log(textOf(a, "log")); }},
    {"throw", [](World&, const Context&, const Json& a) { throwForeign(a); }},
    {"try", &tryActions},
    {"done", &callCompletion},
    {"with", &withKept},
    {"execute", &execute},
    {"promise", &executeAsPromise},
    {"start", &start},
    {"makeScope", &makeScope},
    {"draining", &draining},
    {"closeScope", &closeScope},
    {"drainScope", &drainScope},
    {"abort", &abort},
    {"aborted", &logAborted},
    {"cancel", [](World& w, const Context&,
                  const Json& a) { w.flow(textOf(a, "cancel")).cancel(textOf(a, "reason")); }},
    {"running",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "running");
         w.log(name, " running", word(w.flow(name).running()));
     }},
    {"closed",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "closed");
         w.flow(name).closed().onSettled([&w, name](auto&) { w.log(name, " closed"); });
     }},
    {"addTo", [](World& w, const Context&,
                 const Json& a) { addForms(w, w.flow(textOf(a, "addTo")), a["steps"]); }},
    {"settle", &settlePromise},
    {"immediate", &immediate},
    {"deferred", &deferred},
    {"cancelHandle",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "cancelHandle");
         const auto known = w.handles.find(name);
         if (known == w.handles.end()) return w.log(name, "=-");
         known->second.cancel();
     }},
    {"validHandle",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "validHandle");
         const auto known = w.handles.find(name);
         w.log(name, (known == w.handles.end() ? "=-" : word(known->second.valid())));
     }},
    {"times",
     [](World& w, const Context& c, const Json& a) {
         for (std::int64_t i = a["times"].get<std::int64_t>(); i > 0; --i)
             performAll(w, c, a["do"]);
     }},
    {"makeGuard",
     [](World& w, const Context&, const Json& a) { makeGuard(w, textOf(a, "makeGuard"), a); }},
    {"makeChannel",
     [](World& w, const Context&, const Json& a) { makeChannel(w, textOf(a, "makeChannel"), a); }},
    {"trySend",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "trySend");
         const bool sent = w.channel(name).trySend(Value(a["value"]));
         w.log(name, " sent", word(sent));
     }},
    {"tryReceive",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "tryReceive");
         const auto received = w.channel(name).tryReceive();
         const Quiet quiet;
         w.log(name, " received=", received ? received->dump() : "-");
     }},
    {"close",
     [](World& w, const Context&, const Json& a) { w.channel(textOf(a, "close")).close(); }},
    {"channelClosed",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "channelClosed");
         w.log(name, " closed", word(w.channel(name).closed()));
     }},
    {"lose",
     [](World& w, const Context&, const Json& a) {
         const auto known = w.leases.find(textOf(a, "lose"));
         if (known == w.leases.end()) return;
         steptree::Lease& lease = known->second.back();
         a.contains("in") ? lease.lose(numberOf(a["in"])) : lease.lose();
     }},
    {"openGate", [](World& w, const Context&,
                    const Json& a) { World::found(w.gates, textOf(a, "openGate"))->open(); }},
    {"closeGate", [](World& w, const Context&,
                     const Json& a) { World::found(w.gates, textOf(a, "closeGate"))->close(); }},
    {"readGuard",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "readGuard");
         if (a.contains("key")) {
             const auto key = textOf(a, "key");
             return w.log(name, " ", key, World::found(w.keySayings, name)(key));
         }
         w.log(name, World::found(w.sayings, name)());
     }},
    {"readChannel",
     [](World& w, const Context&, const Json& a) {
         const auto name = textOf(a, "readChannel");
         const auto& channel = w.channel(name);
         w.log(name, " size=" + countText(channel.size()) +
                         " available=" + countText(channel.available()) +
                         " senders=" + countText(channel.senders()) +
                         " receivers=" + countText(channel.receivers()));
     }},
    {"snapshot",
     [](World& w, const Context&, const Json& a) {
         const Json& of = a["snapshot"];
         if (of.is_boolean()) return log(w, w.tool.snapshot());
         log(w, w.flow(of.get<std::string>()).snapshot());
     }},
    {"observe", [](World& w, const Context&, const Json& a) { observe(w, a); }},
    {"makeRecorder", [](World& w, const Context&, const Json& a) { makeRecorder(w, a); }},
    {"recording",
     [](World& w, const Context&, const Json& a) { logRecording(w, textOf(a, "recording")); }},
    {"cancelRecorder", [](World& w, const Context&,
                          const Json& a) { cancelRecorder(w, textOf(a, "cancelRecorder")); }},
    {"watchStalls",
     [](World& w, const Context&, const Json& a) { watchStalls(w, a["watchStalls"]); }},
    {"runTool", [](World& w, const Context&, const Json&) { w.tool.run(); }},
    {"armedTimers", [](World& w, const Context&,
                       const Json&) { w.log("timers=", std::to_string(w.tool.armedTimers())); }},
    {"random",
     [](World& w, const Context&, const Json&) {
         const double word = w.tool.random() * 0x1p32;
         w.log("random=", std::to_string(static_cast<std::uint32_t>(word)));
     }},
    {"busy", [](World& w, const Context&, const Json& a) { w.tool.elapse(numberOf(a["busy"])); }},
    {"now",
     [](World& w, const Context&, const Json&) { w.log("now=", std::to_string(w.tool.now())); }},
};

const std::string& nameOf(const Json& action) {
    return action.is_string() ? action.get_ref<const std::string&>() : action.begin().key();
}

void withoutAccessor(World& world, const Context& context, const std::string& name) {
    const Quiet quiet;
    if (!context.gone) throw Fault("'" + name + "' where there is no accessor");
    if (name == "valid") return world.log("valid=false");
    throw steptree::StepError(steptree::errors::InternalError, "its step has closed");
}

void performOne(World& world, const Context& context, const Json& action) {
    if (isForm(action)) {
        if (context.asi == nullptr) return withoutAccessor(world, context, "a form");
        return addForm(world, *context.asi, action);
    }
    const std::string& name = nameOf(action);
    const auto run = kAnywhere.find(name);
    if (run != kAnywhere.end()) return run->second(world, context, action);
    if (context.asi == nullptr) return withoutAccessor(world, context, name);
    performOwn(world, context, name, action);
}

void performSome(World& world, const Context& context, const Json& actions, std::size_t first,
                 std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
        if (world.ended()) return;
        insist([&] { performOne(world, context, actions[i]); });
    }
}

void performAll(World& world, const Context& context, const Json& actions) {
    performSome(world, context, actions, 0, actions.size());
}

}  // namespace

void perform(World& world, const Context& context, const Json& actions) {
    perform(world, context, actions, 0, actions.size());
}

void perform(World& world, const Context& context, const Json& actions, std::size_t first,
             std::size_t end) {
    const Current current(world, context.asi);
    try {
        performSome(world, context, actions, first, end);
    } catch (const Fault& fault) {
        world.fault = fault.what();
        throw;
    }
}

void external(World& world, const Json& actions) {
    const Current current(world, nullptr);
    try {
        performAll(world, {}, actions);
    } catch (const Fault& fault) {
        world.fault = fault.what();
    } catch (...) {
        const Quiet quiet;
        world.log("threw ", codeOf(std::current_exception()));
    }
}

}  // namespace conformance
