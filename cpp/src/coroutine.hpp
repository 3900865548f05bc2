#pragma once

#include "extra.hpp"

/// What run.cpp, unwind.cpp and cancel.cpp know of bodies that are coroutines. A step has kResumes
/// while its coroutine is to go on.
namespace steptree::detail {

/// The body is left: whether its coroutine waits for what it has added; else that is over.
bool isSuspended(Line& line, Step& step) noexcept;
/// The steps that it has added have run: it goes on. What it leaves then is for leaveBody().
void resumeCoroutine(Line& line, Step& step) noexcept;
/// One of them has failed: it is going to be told.
void tellCoroutine(Line& line, Step& step, ErrorRef error) noexcept;
/// It is destroyed where it stands, if there is one. `into` gets the error that it hasn't heard of.
void dropCoroutine(Step& step, ErrorData* into) noexcept;

/// Of a pinned step whose line goes on without it.
void destroyFrame(Extra& extra) noexcept;
/// Its arena goes back no further than to that.
void raiseMark(Step& step, std::uint32_t mark) noexcept;

}  // namespace steptree::detail
