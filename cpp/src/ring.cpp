#include "ring.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>

#include "extras.hpp"
#include "flowextras.hpp"
#include "guardlook.hpp"
#include "ids.hpp"
#include "path.hpp"
#include "ringreader.hpp"
#include "waits.hpp"

/// How an event is noted.
namespace steptree::detail {

namespace {

double clockNow() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

}  // namespace

Ring::Ring(ToolCore& core, const RecorderOptions& options)
    : Sink(core, options.bodies),
      room_(options.events),
      slots_(new RecordedSlot[options.events]),
      texts_(Texts::roomFor(options.events)),
      kinds_(std::bit_ceil(options.events)),
      shown_(new Shown[kinds_]) {}

/// The oldest goes for it if there is no room.
RecordedSlot& Ring::nextSlot() noexcept {
    std::size_t place = first_ + count_;
    if (place >= room_) place -= room_;
    if (count_ < room_) {
        ++count_;
    } else if (++first_ == room_) {
        first_ = 0;
    }
    return slots_[place];
}

Ring::Shown& Ring::shownAt(const Step& step) const noexcept {
    constexpr std::size_t kSize = sizeof(Step);
    return shown_[reinterpret_cast<std::uintptr_t>(&step) / kSize & (kinds_ - 1)];
}

void Ring::noteKind(Step& step, const char* kind) noexcept {
    if (kind != detail::kindOf(step).name) shownAt(step) = {&step, kind};
}

const char* Ring::takeKind(Step& step) noexcept {
    const char* const kind = kindOf(step);
    if (Shown& shown = shownAt(step); shown.step == &step) shown = {};
    return kind;
}

/// Also of one whose closure has been destroyed.
const char* Ring::kindOf(Step& step) const noexcept {
    const Shown& shown = shownAt(step);
    return shown.step == &step ? shown.kind : detail::kindOf(step).name;
}

Texts::Ref Ring::noteText(std::string_view text) noexcept {
    std::array<char, Texts::kMost> short_;
    return texts_.note(shortened(text, short_));
}

void Ring::noteElement(RecordedSlot& slot, Step& step) noexcept {
    const ElementParts element = elementAt(step);
    slot.element = element.kind;
    slot.number = static_cast<std::int64_t>(element.number);
    if (element.name.empty()) return;
    std::array<char, Texts::kMost> text;
    std::array<char, Texts::kMost> short_;
    const char sign = signOf(element.kind);
    std::size_t size = 0;
    if (sign != 0) text[size++] = sign;
    const std::size_t taken = std::min(element.name.size(), text.size() - size);
    std::copy_n(element.name.data(), taken, text.data() + size);
    slot.text = texts_.note(shortened({text.data(), size + taken}, short_));
}

void Ring::noteWait(RecordedSlot& slot, Line& line) noexcept {
    const Waits waits = waitsUpTo(line, slot.step);
    slot.waits = waits.what;
    if (waits.name != nullptr) slot.text = noteText(*waits.name);
    if (waits.due != nullptr) {
        slot.hasNumber = true;
        slot.number = waits.due->left(core->timeForTimers());
    }
    if (waits.on == nullptr) return;
    const GuardPlace place = GuardLook::placeOf(line, *waits.on);
    slot.kind = place.kind;
    slot.text = noteText(place.name);
    slot.hasNumber = place.place != 0;
    slot.number = place.place;
}

void Ring::note(const EventData& event) noexcept {
    const FlowExtras* const extras = event.flow.flowExtras();
    const bool isNamed = extras != nullptr && extras->options != nullptr;
    RecordedSlot& slot = *::new (&nextSlot()) RecordedSlot{.sequence = event.sequence,
                                                           .time = event.time,
                                                           .flow = &event.flow,
                                                           .step = event.told(),
                                                           .outcome = event.outcome,
                                                           .what = event.what};
    if (isNamed) slot.flowName = noteText(extras->options->name);
    switch (event.what) {
        case What::opened:
            slot.kind = event.kind;
            noteKind(*event.step, event.kind);
            break;
        case What::closed:
            slot.kind = takeKind(*event.step);
            slot.parent = event.around();
            noteElement(slot, *event.step);
            if (!event.code.empty()) slot.code = noteText(event.code);
            break;
        case What::handler:
            slot.code = noteText(event.code);
            break;
        case What::ended:
            slot.code = noteText(event.code);
            slot.number = static_cast<std::int64_t>(idAtEnd(event.flow));
            break;
        case What::waits:
            noteWait(slot, *event.line);
            break;
        case What::body:
        case What::returned:
            slot.clock = clockNow();
            break;
        default:
            break;
    }
    slot.end = texts_.end();
    while (texts_.isGone(slots_[first_].end)) {
        if (++first_ == room_) first_ = 0;
        --count_;
    }
}

/// Short of memory it has what doesn't have to be asked.
void Ring::close() noexcept {
    if (closed_) return;
    ended_ = core->now();
    try {
        if (!unread) kept_ = readSlots(core->alive());
    } catch (const std::bad_alloc&) {
        kept_.reset();
    }
    closed_ = true;
}

std::vector<ReadEvent> Ring::readSlots(bool asks) const {
    return RingReader(*this, asks).read();
}

std::int64_t Ring::until() const {
    return closed_ || !core->alive() ? ended_ : core->now();
}

std::vector<ReadEvent> Ring::read() const {
    return kept_ ? *kept_ : readSlots(!closed_ && core->alive());
}

}  // namespace steptree::detail
