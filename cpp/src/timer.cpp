#include "timer.hpp"

#include "cleanup.hpp"
#include "completion.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "fast.hpp"
#include "steptree/detail/duration.hpp"
#include "unwind.hpp"

/// The timeout of a step.
namespace steptree::detail {

namespace {

/// It becomes the line's, if it comes first.
[[gnu::noinline]] void compare(Line& line, Deadline& deadline) noexcept {
    Deadline* const nearest = deadlineOf(line);
    if (nearest != nullptr) {
        line.core().placeFresh();
        if (deadline.due >= nearest->due) return;
    }
    deadline.outer = nearest;
    setDeadline(line, &deadline);
}

[[gnu::noinline]] void armBeside(Line& line, Deadline& deadline, std::int64_t ms) noexcept {
    line.core().armNew(deadline, ms);
    compare(line, deadline);
}

/// One that has never been armed.
inline void armNew(Line& line, Deadline& deadline, std::int64_t ms) noexcept {
    if (ms == kForever) return;
    Flow& flow = *line.flow;
    if (!kFirstTimer || line.isBranch() || flow.rare != 0) [[unlikely]]
        return armBeside(line, deadline, ms);
    flow.rare = Flow::tagged(deadline);
    flow.tool->armNew(deadline, ms);
}

[[gnu::noinline]] void armInMore(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept) {
    markArena(step);
    step.line->arena.reserve(*step.line, sizeof(TimerExtra));
    armStep(step, ms, fire);
}

/// Its timer raises Timeout from now on.
void forgetCode(Step& step) noexcept {
    if (Extra* const code = findExtra(step, Extra::code)) code->live = false;
}

/// The one before may serve again.
CodeExtra& roomForCode(Step& step, std::size_t size) {
    for (Extra* extra = step.extras; extra != nullptr; extra = extra->next) {
        if (extra->type != Extra::code) continue;
        auto& known = static_cast<CodeExtra&>(*extra);
        if (known.room >= size) return known;
    }
    auto& made = newExtra<CodeExtra>(step, Extra::code, size);
    made.room = static_cast<std::uint32_t>(size);
    made.live = false;
    link(step, made);
    return made;
}

}  // namespace

void armDeadline(Line& line, Deadline& deadline, std::int64_t ms) noexcept {
    disarmDeadline(line, deadline);
    if (ms == kForever) return;
    line.core().armNew(deadline, ms);
    compare(line, deadline);
}

/// All that it calls, it calls last: the row timer_cancel.
[[gnu::noinline]] void armStep(Step& step, std::int64_t ms, void (*fire)(TimerNode*) noexcept) {
    if (Extra* timer = findExtra(step, Extra::timer)) [[unlikely]] {
        forgetCode(step);
        return armDeadline(*step.line, static_cast<TimerExtra&>(*timer), ms);
    }
    if (kRoomForTimer && !step.line->arena.fits(sizeof(TimerExtra))) [[unlikely]]
        return armInMore(step, ms, fire);
    auto& timer = newExtra<TimerExtra>(step, Extra::timer);
    timer.fire = fire;
    timer.step = &step;
    link(step, timer);
    armNew(*step.line, timer, ms);
}

void armStep(Step& step, std::int64_t ms, std::string_view code) {
    if (code == errors::Timeout) return armStep(step, ms);
    CodeExtra& kept = roomForCode(step, code.size());
    armStep(step, ms);
    code.copy(kept.text(), kept.size = static_cast<std::uint32_t>(code.size()));
    kept.live = true;
}

std::string_view timeoutCode(Step& step) noexcept {
    auto* const kept = static_cast<CodeExtra*>(findExtra(step, Extra::code));
    return kept != nullptr ? std::string_view(kept->text(), kept->size) : errors::Timeout;
}

void disarmStep(Step& step) noexcept {
    if (Extra* timer = findExtra(step, Extra::timer)) {
        disarmDeadline(*step.line, static_cast<TimerExtra&>(*timer));
    }
    if ((step.flags & kShelters) == 0) return;
    Shelter& shelter = shelterOf(step);
    if (!shelter.cleans()) disarmDeadline(*step.line, shelter);
}

}  // namespace steptree::detail
