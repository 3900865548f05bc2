#include "recordtext.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "ring.hpp"
#include "waittext.hpp"

namespace steptree::detail {

void addPlain(std::string& to, std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            const std::string json = quoted(std::string(1, c));
            to.append(json, 2, json.size() - 3);  // a space and the quotes
        } else {
            to += c;
        }
    }
}

std::string eventText(const RecordedEvent& event) {
    std::string line = std::to_string(event.time) + " flow " + std::to_string(event.flow.id) +
                       quoted(event.flow.name);
    const auto say = [&line](std::string_view word) {
        if (!word.empty()) addPlain(line += ' ', word);
    };
    say(event.path);
    say(event.what);
    if (event.what == "opened") say(event.kind);
    say(event.outcome);
    say(event.code);
    if (!event.waits.empty()) (line += ' ') += event.waits;
    return line;
}

std::string Ring::lastOf(const Flow& flow) const {
    constexpr std::size_t kMost = 50;
    std::vector<ReadEvent> events = read();
    const auto ended = std::find_if(events.rbegin(), events.rend(), [&flow](const auto& event) {
        return event.is == What::ended && event.of == &flow;
    });
    if (ended == events.rend()) return {};
    std::erase_if(events, [id = ended->flow.id](const auto& event) { return event.flow.id != id; });
    std::string text;
    for (std::size_t i = events.size() - std::min(kMost, events.size()); i < events.size(); ++i)
        text += "  " + eventText(events[i]) + '\n';
    return text;
}

std::string lastEventsOf(Flow& flow) noexcept try {
    const auto& observers = flow.tool->engine.observers;
    if (observers == nullptr) return {};
    for (const auto& sink : observers->sinks) {
        std::string text = sink->lastOf(flow);
        if (!text.empty()) return text;
    }
    return {};
} catch (...) {
    return {};
}

}  // namespace steptree::detail
