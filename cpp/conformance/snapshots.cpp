#include "snapshots.hpp"

#include <map>
#include <string>

namespace conformance {

using namespace steptree;

namespace {

std::string titled(const std::string& kind, const std::string& name) {
    return name.empty() ? kind : kind + " " + Json(name).dump();
}

std::string joined(const std::string& one, const std::string& other, const char* between) {
    return one.empty() || other.empty() ? one + other : one + between + other;
}

}  // namespace

std::string waitText(const WaitSnapshot& wait) {
    if (wait.what == "timer")
        return "timer " + (wait.ms ? std::to_string(*wait.ms) : std::string("Infinity"));
    if (wait.what == "send" || wait.what == "receive") return titled(wait.what, wait.name);
    const std::string text = titled(joined(wait.what, wait.kind, " "), wait.name);
    return wait.place ? text + " " + std::to_string(*wait.place) : text;
}

namespace {

void logLine(World& world, const LineSnapshot& line, const std::string& name,
             const std::string& above) {
    std::string path = above;
    for (const StepSnapshot& step : line.steps) path = joined(path, step.element, "/");
    if (line.waits) {
        std::string where = joined(name, path, " ");
        if (!line.steps.empty()) {
            const StepSnapshot& last = line.steps.back();
            where = joined(where, last.kind, " ");
            if (last.timeout) where += " timeout=" + std::to_string(*last.timeout);
        }
        world.log(where, ": ", waitText(*line.waits));
    }
    for (const LineSnapshot& inside : line.lines) logLine(world, inside, name, path);
}

void logGuard(World& world, const GuardSnapshot& guard,
              const std::map<std::uint64_t, std::string>& by) {
    std::string text = titled(guard.kind, guard.name) + " waiting=" + std::to_string(guard.waiting);
    if (guard.active) text += " active=" + std::to_string(*guard.active);
    if (guard.available) text += " available=" + std::to_string(*guard.available);
    const char* between = " held=";
    for (const auto& [flow, path] : guard.holders) {
        text += between + joined(by.at(flow), path, " ");
        between = ",";
    }
    world.log(text);
}

}  // namespace

void log(World& world, const FlowSnapshot& flow) {
    const Quiet quiet;
    std::string text = flow.name + " " + flow.state;
    if (world.listens(flow)) text += " signal";
    if (flow.deadline) text += " deadline=" + std::to_string(*flow.deadline);
    world.log(text);
    if (flow.line) logLine(world, *flow.line, flow.name, "");
}

void log(World& world, const Snapshot& snapshot) {
    const Quiet quiet;
    std::map<std::uint64_t, std::string> names;
    for (const FlowSnapshot& flow : snapshot.flows) {
        names[flow.id] = flow.name;
        log(world, flow);
    }
    for (const GuardSnapshot& guard : snapshot.guards) logGuard(world, guard, names);
}

}  // namespace conformance
