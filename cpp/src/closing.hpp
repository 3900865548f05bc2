#pragma once

#include "cleanup.hpp"
#include "frame.hpp"

/// What closing.cpp and unwind.cpp, and who ends a cleanup, know of what is on its way outwards.
namespace steptree::detail {

/// A closing on its way outwards on a line.
struct Unwinding {
    enum Kind : std::uint8_t { silent, loud, control, ok };
    Kind kind = loud;
    Step* stop = nullptr;  // silent: where `error` arrives, null: the line's end; control: the loop
    ErrorRef error{};
    bool isBreak = false;
};

/// What a closing does with what is shielded, and with deferred functions.
enum class CloseMode : std::uint8_t {
    patient,  // waits for them
    abandon,  // drops them
    atOnce    // calls deferred functions that have not begun, and waits for nothing
};
/// Closes silently all that is inside `stop`, which is an open step of the line, or null for all.
/// False: something in it waits; the closing goes on with its end, to let `error` arrive at `stop`,
/// which null lets go on well. Claimed errors that it overtakes go to the error.
bool closeInside(Line& base, Step* stop, const ErrorRef& error,
                 CloseMode mode = CloseMode::patient) noexcept;

/// What the latched break or continue of the line's top does.
inline Unwinding controlOf(Line& line) noexcept {
    Unwinding unwinding{Unwinding::control, line.target};
    unwinding.isBreak = (line.marks & kBreak) != 0;
    line.marks = 0;
    return unwinding;
}

/// In the line's turn. Another line that goes on is enqueued.
Answer goOutwards(Line& start, Unwinding unwinding) noexcept;
/// The cleanup of the line's top is over, and it is left. True: with ok, and nothing was put off;
/// else `unwinding` is what goes outwards.
bool endCleanup(Line& line, Step& step, Unwinding& unwinding) noexcept;

/// What was latched or claimed on the line is overtaken; an error is not lost.
void dropLatch(Line& line, Step& step, ErrorData* into) noexcept;
/// Whether a closing waits for the branches of the step: it has a note.
bool hasNote(Step& step) noexcept;
/// Goes on with a closing that was noted. Again: the cleanup of a frame begins, where the rest is
/// noted. Pending: a frame stops what it has begun.
Answer closeFrames(Line& line, Step* stop, const ErrorRef& error) noexcept;
/// The error of the closing that waits for the frame; null if that has none.
ErrorData* noted(Line& line, const Shelter& shelter) noexcept;
/// The closing that the line waits for, by the note that it has of it: see Shelter.
Why closingOf(Line& line, Step* stop, ErrorData* error) noexcept;
/// Why a frame closes that this passes; or whose cleanup runs, as that stands now.
Why whyOf(Line& line, const Unwinding& unwinding) noexcept;
Why whyOf(Line& line, const Shelter& cleanup) noexcept;
/// An error that happened in the frame, and has lost against the closing that waits for it.
void joinNote(Line& line, Shelter& shelter, ErrorRef failure) noexcept;
/// What the frame is left with while a closing waits for that, with or without an error of its own.
Unwinding takeNote(Line& line, Shelter& shelter, ErrorRef failure) noexcept;

}  // namespace steptree::detail
