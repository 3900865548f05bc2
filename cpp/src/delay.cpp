#include "completion.hpp"
#include "extras.hpp"
#include "foreign.hpp"
#include "timer.hpp"
#include "unwind.hpp"

/// Steps that let time pass, or other lines go first.
namespace steptree::detail {

namespace {

struct DelayPart {
    DelayPart(const Step&, const StepSpec& spec) noexcept : ms(spec.count) {}

    std::int64_t ms;
};

void endDelay(TimerNode* node) noexcept {
    claimOk(*static_cast<TimerExtra*>(node)->step);
}

Answer openDelay(Line& line, Step& step) noexcept {
    try {
        armStep(step, partOf<DelayPart>(step).ms, &endDelay);
        step.phase = Phase::waiting;
        return Answer::pending;
    } catch (...) {
        return unwind(line, toRecord(std::current_exception(), step));
    }
}

/// It's closed in the line's next turn.
Answer openRelinquish(Line& line, Step&) noexcept {
    line.core().enqueue(line);
    return Answer::pending;
}

Waits waitsOfDelay(Step& step) noexcept {
    const auto* const timer = static_cast<TimerExtra*>(findExtra(step, Extra::timer));
    return {.what = Waits::timer, .due = timer != nullptr && timer->armed() ? timer : nullptr};
}

}  // namespace

extern constexpr Kind delayKind{.size = sizeof(DelayPart),
                                .make = &makePart<DelayPart>,
                                .open = &openDelay,
                                .name = "delay",
                                .waits = &waitsOfDelay};
extern constexpr Kind relinquishKind{.open = &openRelinquish, .name = nullptr};

}  // namespace steptree::detail
