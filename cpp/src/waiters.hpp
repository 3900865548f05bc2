#pragma once

#include <cstdint>
#include <new>
#include <string_view>

#include "step.hpp"

/// What the guards of the library know of the engine.
namespace steptree::detail {

inline Step& stepOf(IAsyncSteps& asi) noexcept {
    return static_cast<Step&>(asi);
}

/// The line that a branch belongs to; null for a flow's own line.
inline Line* lineAround(Line& line) noexcept {
    return line.isBranch() ? static_cast<Branch&>(line).host->line : nullptr;
}

/// What a lock has done to a step that it is to wait in. A call that finds no memory undoes it:
/// then the step waits for nothing, and gets out of the queue.
template <class Queue, class Leave>
void orElse(Step& step, Queue queue, Leave leave) {
    const std::uint32_t marks = step.line->marks;
    try {
        queue();
    } catch (const std::bad_alloc&) {
        leave();
        step.line->marks = marks;
        if ((marks & kExternal) == 0) releaseSlot(*step.line);
        throw;
    }
}

/// Raises DefenseRejected in the step, with the milliseconds after which it may be let in; -1: not
/// known.
[[noreturn]] void reject(Step& step, std::string_view info, std::int64_t retryAfter = -1);

/// What can be counted in every language; sums of such numbers and times don't overflow.
inline constexpr std::int64_t kMostCounted = (std::int64_t{1} << 53) - 1;
/// A limit of a guard, or InternalError to the caller.
std::int64_t checkFinite(const char* name, std::int64_t value, std::int64_t least = 1);
/// The same for that of a queue, which may be unlimited.
std::int64_t checkQueue(std::int64_t maxQueue);

}  // namespace steptree::detail
