#include "runcase.hpp"

#include "actions.hpp"
#include "forms.hpp"
#include "guards.hpp"
#include "made.hpp"

namespace conformance {

void makeShared(World& world, const Json& program) {
    Made* const made = world.made;
    for (const auto& [name, guard] : part(program, "guards").items()) {
        always([&, &name = name, &guard = guard] {
            if (made == nullptr) {
                makeGuard(world, name, guard);
            } else {
                made->guards[name] = makeGuard(world, name, guard, made->guards[name]);
            }
        });
    }
    for (const auto& [name, channel] : part(program, "channels").items()) {
        always([&, &name = name, &channel = channel] {
            if (made == nullptr) {
                makeChannel(world, name, channel);
            } else {
                made->channels[name] = makeChannel(world, name, channel, made->channels[name]);
            }
        });
    }
    for (const auto& [name, budget] : part(program, "budgets").items()) {
        const Quiet quiet;
        const steptree::RetryBudget::Options limits{budget["capacity"].get<std::int64_t>(),
                                                    budget["ratio"].get<double>()};
        const auto place = made == nullptr ? nullptr : made->budgets[name];
        world.budgets[name] = makeAt<steptree::RetryBudget>(place, limits);
        if (made != nullptr) made->budgets[name] = world.budgets[name];
    }
}

namespace {

void fill(World& world, const Json& program) {
    const Json& options = part(program, "options");
    for (const auto& [name, level] : program["flows"].items()) {
        steptree::IFlow& flow = always([&, &name = name]() -> steptree::IFlow& {
            return world.makeFlow(name, part(options, name));
        });
        addForms(world, flow, level);
    }
    for (const Json& event : part(program, "events")) {
        always([&] {
            world.tool.deferred(event["at"].get<std::int64_t>(),
                                [&world, &actions = event["do"]] { external(world, actions); });
        });
    }
}

/// What is left of a case may never end by itself.
void limit(World& world) {
    const Quiet quiet;
    world.tool.deferred(Memory::longest, [&world] { world.stop(); });
}

}  // namespace

Json runCase(MakeFlow makeFlow, const Json& program, void (*last)(World&)) {
    World world(makeFlow, program);
    makeShared(world, program);
    return runIn(world, program, last);
}

Json runIn(World& world, const Json& program, void (*last)(World&)) {
    fill(world, program);
    if (Memory::mayFail) limit(world);
    static const Json kStart = Json::parse(R"([{"execute": "main"}])");
    external(world, program.contains("start") ? program["start"] : kStart);
    world.tool.run();
    const Quiet quiet;
    if (!world.fault.empty()) throw Fault(world.fault);
    world.checkRuns();
    for (const std::string& name : world.names) {
        if (world.flow(name).running()) world.log(name, " waiting");
    }
    if (last != nullptr) last(world);
    Json answer{{"trace", std::exchange(world.trace, {})}};
    if (part(program, "order").is_array()) answer["alternatives"] = world.tool.alternatives();
    return answer;
}

}  // namespace conformance
