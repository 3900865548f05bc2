#include "executions.hpp"

#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "forms.hpp"
#include "steptree/run.hpp"
#include "steptree/scope.hpp"
#include "text.hpp"

namespace conformance {

namespace {

Execution& newRun(World& world, const std::string& name) {
    const Quiet quiet;
    return world.runs.emplace_back(Execution{name});
}

template <class Call>
void unlessRefused(Execution& run, Call call) {
    try {
        call();
    } catch (...) {
        run.refused = true;
        throw;
    }
}

template <class Settled>
void tellSettled(World& world, const std::string& name, Settled& settled) {
    const Quiet quiet;
    try {
        const steptree::Results values = std::move(settled).get();
        std::vector<Json> first;
        if (!values.empty()) first.push_back(valueOf(values, 0));
        world.log(withArguments(name + " resolved", first));
    } catch (...) {
        world.log(name + " rejected " + codeOf(std::current_exception()));
    }
}

void tellCount(World& world, const std::string& name, const char* what,
               const steptree::Future<std::size_t>& count) {
    always([&] {
        count.onSettled([&world, name, what](auto& settled) {
            const Quiet quiet;
            world.log(name, what, settled.isSucceeded() ? std::to_string(settled.get()) : "failed");
        });
    });
}

}  // namespace

void execute(World& world, const Context&, const Json& action) {
    const auto name = textOf(action, "execute");
    steptree::IFlow& flow = world.flow(name);
    std::stop_token signal;
    if (action.contains("signal")) signal = world.signal(textOf(action, "signal")).token;
    // Of errors that nobody waits for only one at a time can be told without any memory.
    if (!Memory::starving && !action.value("done", true)) {
        return action.contains("signal") ? flow.execute(std::move(signal)) : flow.execute();
    }
    Execution& run = newRun(world, name);
    const auto told = [&world, &run](steptree::Outcome& outcome) {
        const Quiet quiet;
        const std::string& name = run.flow;
        ++run.told;
        world.log(name, " ", textOf(outcome));
    };
    unlessRefused(run, [&] {
        if (action.contains("signal")) return flow.execute(told, std::move(signal));
        flow.execute(told);
    });
}

void start(World& world, const Context&, const Json& action) {
    const auto name = textOf(action, "start");
    const steptree::Step<> value = valueOf(world, action["runs"]);
    steptree::StartOptions options;
    if (action.value("options", true)) {
        options.options = std::make_shared<const steptree::Options>(world.optionsOf(name, action));
    }
    const bool isScope = action.contains("scope");
    if (action.contains("signal")) {
        options.signal = world.signal(textOf(action, "signal")).token;
    } else if (!isScope) {
        options.signal = world.ending.get_token();
    }
    if (action.value("asPromise", false)) {
        steptree::RunOptions runs{std::move(options.signal), std::move(options.options)};
        const bool endsItself = !isScope && !action.contains("signal");
        auto future = isScope ? world.scope(textOf(action, "scope")).run(value, std::move(runs))
                              : steptree::run(world.tool, value, std::move(runs));
        if (endsItself) world.endsItself();
        return always([&] {
            future.onSettled([&world, name](auto& settled) { tellSettled(world, name, settled); });
        });
    }
    if (action.value("done", true)) {
        options.done = [&world, name](steptree::Outcome& outcome) {
            const Quiet quiet;
            world.log(name, " ", textOf(outcome));
        };
    }
    if (isScope) return world.scope(textOf(action, "scope")).start(value, std::move(options));
    world.tool.start(value, std::move(options));
    if (!action.contains("signal")) world.endsItself();
}

void makeScope(World& world, const Context&, const Json& action) {
    always([&] { world.makeScope(textOf(action, "makeScope"), action); });
}

void draining(World& world, const Context&, const Json& action) {
    const auto name = textOf(action, "draining");
    const steptree::Scope& scope = world.scope(name);
    const auto* const draining = scope.draining() ? "true" : "false";
    world.log(name, " draining=", draining, " size=", std::to_string(scope.size()));
}

void closeScope(World& world, const Context&, const Json& action) {
    const auto name = textOf(action, "closeScope");
    tellCount(world, name, " closed ", world.scope(name).close(textOf(action, "reason")));
}

void drainScope(World& world, const Context&, const Json& action) {
    const auto name = textOf(action, "drainScope");
    const auto ms = numberOf(action["ms"]);
    tellCount(world, name, " drained ", world.scope(name).drain(ms, textOf(action, "reason")));
}

void executeAsPromise(World& world, const Context&, const Json& action) {
    const auto name = textOf(action, "promise");
    steptree::IFlow& flow = world.flow(name);
    std::stop_token signal;
    if (action.contains("signal")) signal = world.signal(textOf(action, "signal")).token;
    Execution& run = newRun(world, name);
    steptree::Future<steptree::Results> future;
    unlessRefused(run, [&] {
        future = action.contains("signal") ? flow.promise<steptree::Results>(std::move(signal))
                                           : flow.promise<steptree::Results>();
    });
    const auto told = [&world, &run](auto& settled) {
        ++run.told;
        tellSettled(world, run.flow, settled);
    };
    always([&] { future.onSettled(told); });
}

}  // namespace conformance
