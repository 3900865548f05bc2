#include "completion.hpp"
#include "extras.hpp"
#include "foreign.hpp"
#include "timer.hpp"
#include "unwind.hpp"

/// Steps that let time pass, or other lines go first.
namespace steptree::detail {

namespace {

void checkTime(const Line&, const StepSpec& spec) {
    checkDelay("delay", spec.count);
}

void makeDelay(Step& step, const StepSpec& spec) noexcept {
    step.turn = spec.count;
}

void endDelay(TimerNode* node) noexcept {
    claimOk(*static_cast<TimerExtra*>(node)->step);
}

Answer openDelay(Line& line, Step& step) noexcept {
    try {
        armStep(step, step.turn, &endDelay);
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

}  // namespace

extern constexpr Kind delayKind{.check = &checkTime, .make = &makeDelay, .open = &openDelay};
extern constexpr Kind relinquishKind{.open = &openRelinquish};

}  // namespace steptree::detail
