#include "executions.hpp"

#include <exception>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

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
    unlessRefused(run, [&] {
        if (action.contains("signal")) return flow.execute(told, std::move(signal));
        flow.execute(told);
    });
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
        const Quiet quiet;
        const std::string& name = run.flow;
        ++run.told;
        try {
            const steptree::Results values = std::move(settled).get();
            std::vector<Json> first;
            if (!values.empty()) first.push_back(valueOf(values, 0));
            world.log(withArguments(name + " resolved", first));
        } catch (...) {
            world.log(name + " rejected " + codeOf(std::current_exception()));
        }
    };
    always([&] { future.onSettled(told); });
}

}  // namespace conformance
