#include "ringreader.hpp"

#include <algorithm>

#include "ids.hpp"
#include "path.hpp"
#include "waits.hpp"
#include "waittext.hpp"

namespace steptree::detail {

std::string RingReader::elementOf(const RecordedSlot& slot) const {
    if (slot.text != 0) return std::string(ring_.texts_.at(slot.text));
    const char sign = signOf(slot.element);
    return (sign != 0 ? std::string(1, sign) : std::string()) + std::to_string(slot.number);
}

std::string RingReader::waitOf(const RecordedSlot& slot) const {
    std::string text = wordOf(slot.waits);
    if (slot.kind != nullptr) (text += ' ') += slot.kind;
    text += quoted(std::string(ring_.texts_.at(slot.text)));
    if (slot.hasNumber) text += ' ' + std::to_string(slot.number);
    if (slot.waits == Waits::timer && !slot.hasNumber) text += " Infinity";
    return text;
}

std::uint64_t RingReader::idOf(Flow* flow) const {
    const auto found = ended_.find(flow);
    if (found != ended_.end()) return found->second;
    return asks_ ? detail::idOf(*flow) : 0;
}

/// What came before, and is of the same step or flow, means this one.
void RingReader::noteEnd(const RecordedSlot& slot) {
    if (slot.what == What::ended) ended_[slot.flow] = static_cast<std::uint64_t>(slot.number);
    if (slot.what != What::closed) return;
    ways_.closed(*slot.step, elementOf(slot), slot.parent);
    kinds_[slot.step] = slot.kind;
}

void RingReader::addStep(ReadEvent& event, Step& step) {
    const auto numberOf = [](const Step* of) { return reinterpret_cast<std::uintptr_t>(of); };
    event.step = numberOf(&step);
    event.parent = numberOf(ways_.around(step));
    event.path = ways_.pathOf(step);
    event.elementOfStep = ways_.elementOf(step);
    const auto closed = kinds_.find(&step);
    if (closed != kinds_.end())
        event.kindOfStep = closed->second;
    else if (asks_)
        event.kindOfStep = ring_.kindOf(step);
}

ReadEvent RingReader::eventOf(const RecordedSlot& slot) {
    const Texts& texts = ring_.texts_;
    ReadEvent event;
    event.is = slot.what;
    event.of = slot.flow;
    event.what = nameOf(slot.what);
    event.time = slot.time;
    event.sequence = slot.sequence;
    event.flow = {idOf(slot.flow), std::string(texts.at(slot.flowName))};
    if (slot.step != nullptr) addStep(event, *slot.step);
    event.outcome = slot.outcome;
    event.code = texts.at(slot.code);
    if (slot.what == What::opened) event.kind = slot.kind;
    if (slot.what == What::opened || slot.what == What::closed) event.element = event.elementOfStep;
    if (slot.what == What::waits) event.waits = waitOf(slot);
    if (slot.what == What::body || slot.what == What::returned) event.clock = slot.clock;
    return event;
}

std::vector<ReadEvent> RingReader::read() {
    std::vector<ReadEvent> events;
    events.reserve(ring_.count_);
    for (std::size_t i = ring_.count_; i-- > 0;) {
        const RecordedSlot& slot = ring_.slots_[(ring_.first_ + i) % ring_.room_];
        noteEnd(slot);
        events.push_back(eventOf(slot));
    }
    std::reverse(events.begin(), events.end());
    return events;
}

}  // namespace steptree::detail
