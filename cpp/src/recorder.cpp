#include "steptree/recorder.hpp"

#include <string>
#include <utility>

#include "misuse.hpp"
#include "ontool.hpp"
#include "recordtext.hpp"
#include "ring.hpp"
#include "trace.hpp"

/// What was recorded, as it's read.
namespace steptree {

namespace {

constexpr std::size_t kMost = 1'048'576;

/// None: it was moved away.
std::vector<detail::ReadEvent> readFrom(const std::shared_ptr<detail::Ring>& ring,
                                        const char* call) {
    if (ring == nullptr) return {};
    if (ring->core->alive()) detail::checkThread(*ring->core, call);
    return ring->read();
}

}  // namespace

FlightRecorder::FlightRecorder(Tool& tool, const RecorderOptions& options) {
    detail::ToolCore& core = tool.core();
    detail::checkThread(core, "FlightRecorder");
    if (options.events < 1 || options.events > kMost) {
        detail::misuse("events: expected 1 to " + std::to_string(kMost) + ", got " +
                       std::to_string(options.events));
    }
    auto ring = std::make_shared<detail::Ring>(core, options);
    detail::observersIn(core).add(ring);
    ring_ = std::move(ring);
}

FlightRecorder::FlightRecorder(FlightRecorder&& other) noexcept = default;
FlightRecorder& FlightRecorder::operator=(FlightRecorder&& other) noexcept {
    FlightRecorder taken(std::move(other));
    std::swap(ring_, taken.ring_);  // what was here ends
    return *this;
}
FlightRecorder::~FlightRecorder() {
    if (ring_ == nullptr) return;
    ring_->unread = true;
    cancel();
}

std::vector<RecordedEvent> FlightRecorder::events() const {
    std::vector<RecordedEvent> events;
    for (detail::ReadEvent& event : readFrom(ring_, "events")) events.push_back(std::move(event));
    return events;
}

std::string FlightRecorder::text() const {
    std::string text;
    for (const detail::ReadEvent& event : readFrom(ring_, "text")) {
        if (!text.empty()) text += '\n';
        text += detail::eventText(event);
    }
    return text;
}

std::string FlightRecorder::trace() const {
    const std::vector<detail::ReadEvent> events = readFrom(ring_, "trace");
    return detail::traceOf(events, ring_ != nullptr ? ring_->until() : 0);
}

void FlightRecorder::cancel() noexcept {
    if (ring_ != nullptr) detail::endListening(*ring_);
}

bool FlightRecorder::valid() const noexcept {
    return ring_ != nullptr && !ring_->over;
}

}  // namespace steptree
