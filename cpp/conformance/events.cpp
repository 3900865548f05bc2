#include "events.hpp"

#include <algorithm>
#include <chrono>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "snapshots.hpp"

namespace conformance {

using steptree::FlowEvent;

namespace {

std::string detailOf(const FlowEvent& event) {
    if (event.what() == "opened") return std::string(event.kind());
    if (event.what() == "handler") return std::string(event.code());
    if (const auto wait = event.waits()) return waitText(*wait);
    std::string detail(event.outcome());
    if (!event.code().empty()) detail.append(" ").append(event.code());
    return detail;
}

void log(World& world, const FlowEvent& event) {
    const Quiet quiet;
    std::string line;
    for (const std::string& word : {std::string(event.flowName()), event.path(),
                                    std::string(event.what()), detailOf(event)}) {
        if (!word.empty()) line += line.empty() ? word : " " + word;
    }
    world.log(line);
}

}  // namespace

void observe(World& world, const Json& action) {
    world.watching.cancel();
    const Json& how = action["observe"];
    if (how == Json(false)) return;
    const auto cancelAt = action.value("cancelAt", 0);
    const auto note = [&world, cancelAt, count = 0](const FlowEvent& event) mutable {
        log(world, event);
        const std::string name(event.flowName());
        const auto& names = world.names;
        const bool isKnown = std::find(names.begin(), names.end(), name) != names.end();
        if (++count == cancelAt && isKnown) world.flow(name).cancel();
    };
    always([&] { world.watching = world.tool.observe(note, {.bodies = isText(how, "bodies")}); });
}

void makeRecorder(World& world, const Json& how) {
    steptree::RecorderOptions options;
    const Json& events = part(how, "events");
    if (!events.is_null()) options.events = events.get<std::size_t>();
    options.bodies = part(how, "bodies") == Json(true);
    steptree::FlightRecorder made(world.tool, options);
    const Quiet quiet;
    world.recorders.insert_or_assign(textOf(how, "makeRecorder"), std::move(made));
}

namespace {

/// Null: there was no memory for it.
steptree::FlightRecorder* recorderOf(World& world, const std::string& name) {
    if (Memory::mayFail && !world.recorders.contains(name)) return nullptr;
    return &World::found(world.recorders, name);
}

/// Flows have other numbers in other processes.
std::string withoutNumber(const std::string& line) {
    static const std::regex ofFlow("^(\\d+ )flow \\d+( \"(?:[^\"\\\\]|\\\\.)*\")?");
    std::smatch found;
    if (!std::regex_search(line, found, ofFlow)) throw Fault("no flow in '" + line + "'");
    const std::string named =
        found[2].matched ? Json::parse(found[2].str()).get<std::string>() : "-";
    return found[1].str() + named + found.suffix().str();
}

}  // namespace

void logRecording(World& world, const std::string& name) {
    const steptree::FlightRecorder* const recorder = recorderOf(world, name);
    if (recorder == nullptr) return;
    const std::string text = recorder->text();
    const Quiet quiet;
    if (text.empty()) return world.log(name, ": -");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) world.log(name, ": ", withoutNumber(line));
}

void cancelRecorder(World& world, const std::string& name) {
    if (steptree::FlightRecorder* const recorder = recorderOf(world, name)) recorder->cancel();
}

void watchStalls(World& world, const Json& wait) {
    world.stalls.reset();
    if (wait == Json(false)) return;
    steptree::StallOptions options;
    options.wait = std::chrono::duration<double, std::milli>(wait.get<double>());
    world.stalls.emplace(world.tool, std::move(options));
}

}  // namespace conformance
