#include "awaited.hpp"
#include "completion.hpp"
#include "coroutine.hpp"
#include "error.hpp"
#include "latch.hpp"
#include "observe.hpp"
#include "run.hpp"
#include "unwind.hpp"

namespace steptree::detail {

namespace {

/// Whether a completion that is still on its way comes too late: the body has ended the step's
/// wait, or there is none, and that is no failure.
inline bool closesSlot(const Line& line, const Step& step) noexcept {
    if ((line.marks & (kError | kControl | kAwaitable)) != 0) return false;
    return (line.marks & (kSuccess | kValue)) != 0 || step.next != nullptr;
}

}  // namespace

void postpone(Line& line, Step& step) noexcept {
    releaseSlot(line);
    step.phase = Phase::claimed;
    line.marks |= kLate;
    line.core().enqueue(line);
}

namespace {

/// Whether what the body has left ends the step and waits for timers that are due. See kLooks.
bool postpones(Line& line, Step& step) noexcept {
    if ((line.flow->bits & kLooks) == 0 || !line.core().isLate()) return false;
    const std::uint32_t marks = line.marks;
    if ((marks & (kAwaitable | kTaken)) != 0) return false;
    if ((marks & (kLatched | kValue)) == 0) {
        if (step.next != nullptr || (step.flags & kResumes) != 0) return false;
        if ((marks & (kWait | kExternal)) != 0) return false;
    }
    if (line.slot != nullptr && closesSlot(line, step)) latchRemote(line, step);
    postpone(line, step);
    return true;
}

}  // namespace

bool endsTurn(Line& line, Step& step) noexcept {
    if (isObserved(*line.flow)) tellReturned(line, step);
    return cancelled(line) || postpones(line, step);
}

Answer settle(Line& line, Step& step) noexcept {
    if (cancelled(line)) return Answer::pending;
    if (line.slot != nullptr && closesSlot(line, step)) latchRemote(line, step);
    if ((step.flags & kResumes) != 0) [[unlikely]] {
        if (isSuspended(line, step)) return Answer::again;
        if (cancelled(line)) return Answer::pending;
    }
    const std::uint32_t marks = line.marks;
    if ((marks & kAwaitable) != 0) return startWatch(line, step);
    if ((marks & kError) != 0) return unwind(line, takeError(line));
    if ((marks & kControl) != 0) return fail(line);
    if (const char* mistake = contradiction(line, step)) {
        return unwind(line, raisedBy(step, errors::InternalError, mistake));
    }
    if (step.next != nullptr) {
        releaseSlot(line);
        step.phase = Phase::inner;
        return Answer::again;
    }
    if ((marks & (kSuccess | kValue | kSettled)) == 0 && (marks & (kWait | kExternal)) != 0) {
        step.phase = Phase::waiting;
        return Answer::pending;
    }
    return closeOk(line, step);
}

}  // namespace steptree::detail
