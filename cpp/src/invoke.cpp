#include "engine.hpp"

/// What becomes of an exception that leaves a body or handler.
namespace steptree::detail {

/// The exception that the standing latch threw changes nothing.
void caught(Line& line, Step& step, const StepError& thrown) noexcept {
    if ((line.marks & kError) != 0 && line.error == thrown.data().get()) return;
    latchFail(line, toRecord(thrown, step));
}

void caught(Line& line, Step& step, const LoopControl& thrown) noexcept {
    Step* loop = findLoop(step, thrown.label());
    if (loop != nullptr) {
        latchControl(line, *loop, thrown.isBreak());
    } else {
        latchFail(line, makeError(step, errors::InternalError, "there is no loop around"));
    }
}

void caught(Line& line, Step& step) noexcept {
    latchFail(line, toRecord(std::current_exception(), step));
}

}  // namespace steptree::detail
