#include "actions.hpp"

#include <limits>
#include <map>
#include <string>

#include "forms.hpp"
#include "guards.hpp"
#include "own.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace conformance {

namespace {

using Run = void (*)(World&, const Context&, const Json&);

std::string text(const Json& action, const char* key) {
    return action.value(key, "");
}

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
        world.log("caught " + codeOf(std::current_exception()));
    }
}

void callCompletion(World& world, const Context&, const Json& action) {
    const auto name = text(action, "done");
    const auto known = world.completions.find(name);
    if (known == world.completions.end()) return world.log(name + "=-");
    steptree::Completion& completion = known->second;
    bool result = false;
    if (action.contains("valid")) {
        result = completion.valid();
    } else if (action.contains("error")) {
        result = completion.error(text(action, "error"), text(action, "info"));
    } else {
        withSpread(action.value("success", Json::array()),
                   [&](const auto&... values) { result = completion.success(values...); });
    }
    world.log(name + word(result));
}

void withKept(World& world, const Context&, const Json& action) {
    Context kept = World::found(world.contexts, text(action, "with"));
    kept.outside = kept.asi != world.current;
    performAll(world, kept, action["do"]);
}

void execute(World& world, const Context&, const Json& action) {
    const auto name = text(action, "execute");
    steptree::IFlow& flow = world.flow(name);
    std::stop_token signal;
    if (action.contains("signal")) signal = world.signal(text(action, "signal")).token;
    if (!action.value("done", true))
        return action.contains("signal") ? flow.execute(std::move(signal)) : flow.execute();
    const auto done = [&world, name](steptree::Outcome& outcome) {
        switch (outcome.kind) {
            case steptree::OutcomeKind::ok:
                return world.log(withValues(name + " ok", outcome.values));
            case steptree::OutcomeKind::error:
                return world.log(name + " error " + outcome.code);
            case steptree::OutcomeKind::cancelled:
                return world.log(name + " cancelled" +
                                 (outcome.reason.empty() ? "" : " " + outcome.reason));
        }
    };
    if (action.contains("signal")) return flow.execute(done, std::move(signal));
    flow.execute(done);
}

void executeAsPromise(World& world, const Context&, const Json& action) {
    const auto name = text(action, "promise");
    steptree::IFlow& flow = world.flow(name);
    const auto future =
        action.contains("signal")
            ? flow.promise<steptree::Results>(world.signal(text(action, "signal")).token)
            : flow.promise<steptree::Results>();
    future.onSettled([&world, name](auto& settled) {
        try {
            const steptree::Results values = std::move(settled).get();
            std::vector<Json> first;
            if (!values.empty()) first.push_back(valueOf(values, 0));
            world.log(withArguments(name + " resolved", first));
        } catch (...) {
            world.log(name + " rejected " + codeOf(std::current_exception()));
        }
    });
}

void settlePromise(World& world, const Context&, const Json& action) {
    NamedPromise promise = world.promise(text(action, "settle"));
    if (action.contains("error")) {
        promise.reject(std::make_exception_ptr(
            steptree::StepError(text(action, "error"), text(action, "info"))));
    } else if (action.contains("value")) {
        promise.resolve(action["value"]);
    } else {
        promise.resolve({});
    }
}

void keepHandle(World& world, const Json& action, steptree::Handle handle) {
    if (action.contains("as")) world.handles[text(action, "as")] = std::move(handle);
}

void immediate(World& world, const Context&, const Json& action) {
    keepHandle(world, action, world.tool.immediate([&world, actions = action["immediate"]] {
        external(world, actions);
    }));
}

void deferred(World& world, const Context&, const Json& action) {
    keepHandle(world, action,
               world.tool.deferred(action["deferred"].get<std::int64_t>(),
                                   [&world, actions = action["do"]] { external(world, actions); }));
}

const std::map<std::string, Run> kAnywhere{
    {"log", [](World& w, const Context&, const Json& a) { w.log(text(a, "log")); }},
    {"throw", [](World&, const Context&, const Json& a) { throwForeign(a); }},
    {"try", &tryActions},
    {"done", &callCompletion},
    {"with", &withKept},
    {"execute", &execute},
    {"promise", &executeAsPromise},
    {"abort", &abort},
    {"aborted", &logAborted},
    {"cancel", [](World& w, const Context&,
                  const Json& a) { w.flow(text(a, "cancel")).cancel(text(a, "reason")); }},
    {"running",
     [](World& w, const Context&, const Json& a) {
         const auto name = text(a, "running");
         w.log(name + " running" + word(w.flow(name).running()));
     }},
    {"closed",
     [](World& w, const Context&, const Json& a) {
         const auto name = text(a, "closed");
         w.flow(name).closed().onSettled([&w, name](auto&) { w.log(name + " closed"); });
     }},
    {"addTo", [](World& w, const Context&,
                 const Json& a) { addForms(w, w.flow(text(a, "addTo")), a["steps"]); }},
    {"settle", &settlePromise},
    {"immediate", &immediate},
    {"deferred", &deferred},
    {"cancelHandle",
     [](World& w, const Context&, const Json& a) {
         const auto name = text(a, "cancelHandle");
         const auto known = w.handles.find(name);
         if (known == w.handles.end()) return w.log(name + "=-");
         known->second.cancel();
     }},
    {"validHandle",
     [](World& w, const Context&, const Json& a) {
         const auto name = text(a, "validHandle");
         const auto known = w.handles.find(name);
         w.log(name + (known == w.handles.end() ? "=-" : word(known->second.valid())));
     }},
    {"times",
     [](World& w, const Context& c, const Json& a) {
         for (std::int64_t i = a["times"].get<std::int64_t>(); i > 0; --i)
             performAll(w, c, a["do"]);
     }},
    {"makeGuard",
     [](World& w, const Context&, const Json& a) { makeGuard(w, text(a, "makeGuard"), a); }},
    {"makeChannel",
     [](World& w, const Context&, const Json& a) { makeChannel(w, text(a, "makeChannel"), a); }},
    {"trySend",
     [](World& w, const Context&, const Json& a) {
         const auto name = text(a, "trySend");
         w.log(name + " sent" + word(w.channel(name).trySend(a["value"])));
     }},
    {"tryReceive",
     [](World& w, const Context&, const Json& a) {
         const auto name = text(a, "tryReceive");
         const auto received = w.channel(name).tryReceive();
         w.log(name + " received=" + (received ? received->dump() : "-"));
     }},
    {"close", [](World& w, const Context&, const Json& a) { w.channel(text(a, "close")).close(); }},
    {"channelClosed",
     [](World& w, const Context&, const Json& a) {
         const auto name = text(a, "channelClosed");
         w.log(name + " closed" + word(w.channel(name).closed()));
     }},
    {"runTool", [](World& w, const Context&, const Json&) { w.tool.run(); }},
    {"armedTimers", [](World& w, const Context&,
                       const Json&) { w.log("timers=" + std::to_string(w.tool.armedTimers())); }},
    {"random",
     [](World& w, const Context&, const Json&) {
         const double word = w.tool.random() * 0x1p32;
         w.log("random=" + std::to_string(static_cast<std::uint32_t>(word)));
     }},
    {"now",
     [](World& w, const Context&, const Json&) { w.log("now=" + std::to_string(w.tool.now())); }},
};

void performOne(World& world, const Context& context, const Json& action) {
    if (isForm(action)) {
        if (context.asi == nullptr) throw Fault("a form where there is no accessor");
        return addForm(world, *context.asi, action);
    }
    const std::string name = action.is_string() ? action.get<std::string>() : action.begin().key();
    const Json full = action.is_string() ? Json{{name, nullptr}} : action;
    const auto run = kAnywhere.find(name);
    if (run != kAnywhere.end()) return run->second(world, context, full);
    if (context.asi == nullptr) throw Fault("'" + name + "' where there is no accessor");
    performOwn(world, context, name, full);
}

void performAll(World& world, const Context& context, const Json& actions) {
    for (const Json& action : actions) {
        if (world.ended()) return;
        performOne(world, context, action);
    }
}

}  // namespace

void perform(World& world, const Context& context, const Json& actions) {
    const Current current(world, context.asi);
    try {
        performAll(world, context, actions);
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
        world.log("threw " + codeOf(std::current_exception()));
    }
}

}  // namespace conformance
