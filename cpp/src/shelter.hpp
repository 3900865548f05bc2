#pragma once

#include <cstdint>

#include "extra.hpp"
#include "extras.hpp"

/// What shelters a step from all that is outside: the limit of a shield, or the grace of a step
/// that stops what it has begun or whose cleanup runs.
namespace steptree::detail {

/// Of a step that has deferred functions, that awaits what takes time to stop, or is a shield.
/// While the step has kShelters it is a shielded frame: nothing from outside ends what is inside; a
/// closing from there leaves a note in the outermost of them, and goes on when that is left, or has
/// stopped what it had begun.
struct Shelter : Extra, Deadline {  // the limit of a shield, the grace of a cleanup or of a stop
    enum class State : std::uint8_t {
        quiet,  // its functions wait for the step's closing
        open,   // a shield whose outcome isn't known
        stops,  // what the step has begun; `goes` is what goes through the step then
        ok,     // from here on the cleanup runs, and this is how the step ends
        failed,
        controlled,  // by a break or continue
        closed       // as the note says
    };

    /// Of a flow whose line may go on: stands for it among those whose cancel waits for a closing,
    /// since the line keeps its place in the run queue. Its `run` is null.
    struct Asked : RunNode {
        Flow* flow = nullptr;
    };

    Shelter() noexcept;

    Step* step = nullptr;
    Deadline* hidden = nullptr;  // the line's further out
    Step* deferred = nullptr;    // the functions, last one first; then they are the step's level
    Step* running = nullptr;     // of them: the last one that began
    union {
        ErrorData* failure = nullptr;  // failed: one reference
        Step* target;                  // controlled
    };
    Results values;              // ok
    Step* stop = nullptr;        // of the note, see closing.cpp
    ErrorData* error = nullptr;  // of the note: one reference
    std::int64_t limit = 0;      // of a shield: milliseconds
    std::uint32_t count = 0;     // of functions
    State state = State::quiet;
    State goes = State::quiet;    // while it stops: failed, controlled or closed
    State before = State::quiet;  // it stopped
    bool noted : 1 = false;
    bool isBreak : 1 = false;  // controlled
    bool late : 1 = false;     // failed: in a deferred function
    bool nested : 1 = false;   // in another shielded frame
    Asked asked;

    bool cleans() const noexcept { return state >= State::ok; }
    bool hasFailure() const noexcept {
        return (state == State::stops ? goes : state) == State::failed;
    }
};

inline Shelter& shelterOf(Step& step) noexcept {
    return *static_cast<Shelter*>(findExtra(step, Extra::shelter));
}

/// Of a line that is sheltered: the innermost.
inline Shelter& shelterAround(const Line& line) noexcept {
    Step* step = line.top;
    while ((step->flags & kShelters) == 0) step = step->parent;
    return shelterOf(*step);
}
/// The outermost of the line's shielded frames inside `stop`. Null: there is none.
Shelter* shelterInside(Line& line, Step* stop) noexcept;
/// Frames from `step` to `stop`, which are going to be closed, have no deadlines any more.
void disarmTimers(Step* step, Step* stop) noexcept;

}  // namespace steptree::detail
