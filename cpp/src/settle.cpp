#include "settle.hpp"

#include "awaited.hpp"
#include "cleanup.hpp"
#include "completion.hpp"
#include "coroutine.hpp"
#include "error.hpp"
#include "latch.hpp"
#include "run.hpp"
#include "unwind.hpp"

namespace steptree::detail {

namespace {

bool fail(Line& line, Step& step, std::string_view info) noexcept {
    return goOn(line, unwind(line, raisedBy(step, errors::InternalError, info)));
}

/// Whether a completion that is still on its way comes too late: the body has ended the step's
/// wait, or there is none, and that is no failure.
inline bool closesSlot(const Line& line, const Step& step) noexcept {
    if ((line.marks & (kError | kControl | kAwaitable)) != 0) return false;
    return (line.marks & kSuccess) != 0 || step.next != nullptr;
}

}  // namespace

void postpone(Line& line, Step& step) noexcept {
    releaseSlot(line);
    step.phase = Phase::claimed;
    line.marks |= kLate;
    line.core().enqueue(line);
}

bool postpones(Line& line, Step& step) noexcept {
    if ((line.flow->bits & kLooks) == 0 || kindOf(step).isPrompt) return false;
    if (!line.core().isLate()) return false;
    const std::uint32_t marks = line.marks;
    if ((marks & (kAwaitable | kTaken)) != 0) return false;
    if ((marks & kLatched) == 0) {
        if (step.next != nullptr || (step.flags & kResumes) != 0) return false;
        if ((marks & kValue) == 0 && (marks & (kWait | kExternal)) != 0) return false;
    }
    if (line.slot != nullptr && closesSlot(line, step)) latchRemote(line, step);
    postpone(line, step);
    return true;
}

bool settle(Line& line, Step& step) noexcept {
    if (cancelled(line)) return false;
    if (line.slot != nullptr && closesSlot(line, step)) latchRemote(line, step);
    if ((step.flags & kResumes) != 0) [[unlikely]] {
        if (isSuspended(line, step)) return true;
        if (cancelled(line)) return false;
    }
    const std::uint32_t marks = line.marks;
    if ((marks & kAwaitable) != 0) return startWatch(line, step);
    if ((marks & kError) != 0) return goOn(line, unwind(line, takeError(line)));
    if ((marks & kControl) != 0) return goOn(line, unwindControl(line));
    if ((marks & kSuccessAgain) != 0) return fail(line, step, "success was called twice");
    if (step.next != nullptr) {
        if ((marks & kSuccess) != 0) return fail(line, step, "success and inner steps");
        if ((marks & kValue) != 0) line.clearValues();
        releaseSlot(line);
        step.phase = Phase::inner;
        return true;
    }
    if ((marks & (kSuccess | kValue | kSettled)) == 0 && (marks & (kWait | kExternal)) != 0) {
        step.phase = Phase::waiting;
        return false;
    }
    closeOk(line, step);
    return true;
}

}  // namespace steptree::detail
