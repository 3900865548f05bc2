#include "events.hpp"

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

void observe(World& world, const Json& how) {
    world.watching.cancel();
    if (how == Json(false)) return;
    const auto note = [&world](const FlowEvent& event) { log(world, event); };
    always([&] { world.watching = world.tool.observe(note, {.bodies = isText(how, "bodies")}); });
}

}  // namespace conformance
