#include "events.hpp"

#include <algorithm>
#include <string>
#include <string_view>

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

}  // namespace conformance
