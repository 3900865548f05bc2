#pragma once

#include "closing.hpp"
#include "frame.hpp"

/// Errors and loop control, on their way outwards.
namespace steptree::detail {

/// In the line's turn: closes from its top outwards because of an error.
Answer unwind(Line& line, ErrorRef error) noexcept;
/// The same with what is latched on the line, an error or loop control.
Answer fail(Line& line) noexcept;
/// Calls the frame's handler. Ended: `unwinding` is an ok. Again: see afterHandler(). Pending: the
/// flow is to be cancelled.
Answer callHandler(Line& line, Step& step, Unwinding& unwinding) noexcept;
/// What the handler has left. Again: steps. Ended: `unwinding` is what the step ends with, an ok or
/// what goes on to the parent. Pending: the flow is to be cancelled.
Answer afterHandler(Line& line, Step& step, Unwinding& unwinding) noexcept;
/// Ends an open step with ok.
inline Answer closeOk(Line& line, Step& step) noexcept {
    if ((step.flags & (kDefers | kShelters)) != 0) [[unlikely]] {
        endsWell(line, step);
    } else {
        close(line, step);
    }
    return Answer::again;
}
/// In the line's turn: what the line's top had begun has stopped.
Answer afterStop(Line& line, Step& step) noexcept;
/// An open step fails by itself, not in its line's turn.
void failStep(Step& step, ErrorRef error) noexcept;

}  // namespace steptree::detail
