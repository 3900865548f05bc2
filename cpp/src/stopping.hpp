#pragma once

#include "cleanup.hpp"
#include "closing.hpp"

/// What takes time to stop, for closing.cpp, unwind.cpp and awaited.cpp.
namespace steptree::detail {

/// Asks what the frame has begun to stop. Not null: that takes time; what closes the frame is to be
/// noted there.
Shelter* stopsWithin(Line& line, Step& step, ErrorData* into) noexcept;
/// The same; what goes through the frame is kept there.
bool stopsBefore(Line& line, Step& step, Unwinding& unwinding) noexcept;
/// It has ended, whatever it ended with.
void hasStopped(Step& step) noexcept;
/// The grace is over.
void stopsTooLong(Shelter& shelter) noexcept;
bool isStopping(Step& step) noexcept;

}  // namespace steptree::detail
