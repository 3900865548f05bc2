#pragma once

#include "cleanup.hpp"
#include "frame.hpp"

/// Errors and loop control, on their way outwards.
namespace steptree::detail {

/// Closes from the line's top outwards because of an error. Returns the line that recovered, null
/// if the flow has ended or is to be cancelled.
Line* unwind(Line& line, ErrorRef error) noexcept;
Line* unwindControl(Line& line) noexcept;
/// Ends an open step with ok.
inline void closeOk(Line& line, Step& step) noexcept {
    if ((step.flags & (kDefers | kShelters)) != 0) [[unlikely]]
        return endsWell(line, step);
    close(line, step);
}
/// In the line's turn: what the line's top had begun has stopped. Returns the line that goes on, if
/// one does.
Line* afterStop(Line& line, Step& step) noexcept;
/// An open step fails by itself, not in its line's turn.
void failStep(Step& step, ErrorRef error) noexcept;

}  // namespace steptree::detail
