#include "run.hpp"

#include "actions.hpp"
#include "forms.hpp"
#include "guards.hpp"

namespace conformance {

Json runCase(MakeFlow makeFlow, const Json& program) {
    World world(makeFlow, program);
    const Json guards = program.value("guards", Json::object());
    for (const auto& [name, guard] : guards.items()) {
        makeGuard(world, name, guard);
    }
    const Json channels = program.value("channels", Json::object());
    for (const auto& [name, channel] : channels.items()) {
        makeChannel(world, name, channel);
    }
    const Json budgets = program.value("budgets", Json::object());
    for (const auto& [name, budget] : budgets.items()) {
        world.budgets[name] =
            std::make_shared<steptree::RetryBudget>(steptree::RetryBudget::Options{
                budget["capacity"].get<std::int64_t>(), budget["ratio"].get<double>()});
    }
    const Json options = program.value("options", Json::object());
    for (const auto& [name, level] : program["flows"].items()) {
        addForms(world, world.makeFlow(name, options.value(name, Json::object())), level);
    }
    for (const Json& event : program.value("events", Json::array())) {
        world.tool.deferred(event["at"].get<std::int64_t>(),
                            [&world, actions = event["do"]] { external(world, actions); });
    }
    external(world, program.value("start", Json::parse(R"([{"execute": "main"}])")));
    world.tool.run();
    if (!world.fault.empty()) throw Fault(world.fault);
    for (const std::string& name : world.names) {
        if (world.flow(name).running()) world.log(name + " waiting");
    }
    Json answer{{"trace", std::exchange(world.trace, {})}};
    if (program.value("order", Json()).is_array()) {
        answer["alternatives"] = world.tool.alternatives();
    }
    return answer;
}

}  // namespace conformance
