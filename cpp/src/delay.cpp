#include "completion.hpp"
#include "extras.hpp"
#include "foreign.hpp"
#include "level.hpp"
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

bool openDelay(Line& line, Step*& level, Budget&) noexcept {
    Step& step = openStep(line, level);
    try {
        armStep(step, step.turn, &endDelay);
        step.phase = Phase::waiting;
        return false;
    } catch (...) {
        return goOn(line, unwind(line, toRecord(std::current_exception(), step)));
    }
}

/// It's closed in the line's next turn.
bool openRelinquish(Line& line, Step*& level, Budget&) noexcept {
    openStep(line, level);
    line.core().enqueue(line);
    return false;
}

}  // namespace

extern constexpr Kind delayKind{.check = &checkTime, .make = &makeDelay, .open = &openDelay};
extern constexpr Kind relinquishKind{.open = &openRelinquish};

}  // namespace steptree::detail
