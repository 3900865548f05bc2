#include "closing.hpp"

#include "awaited.hpp"
#include "cancel.hpp"
#include "cleanup.hpp"
#include "completion.hpp"
#include "error.hpp"
#include "frame.hpp"
#include "latch.hpp"
#include "onstack.hpp"
#include "remotesettlement.hpp"
#include "report.hpp"
#include "stopping.hpp"
#include "timer.hpp"

/// What is closed silently, innermost first, and what arrives where that ends. The clearest account
/// of it is spec/model/closing.ts.
///
/// A closing leaves what is shielded alone, but for a note: where it was going, and with what. When
/// the outermost shielded frame of a line inside of that is left, it goes on from there, and when
/// the last branch that a parallel step has waited for is closed, from that step. The note of a
/// parallel step: a HostNote, the line's error, and its phase is `cancel`. What is between the note
/// and `stop` is closed already but for its frames, whose timers have no say any more. A branch of
/// a step with a note has one itself, for all of its line.
namespace steptree::detail {

namespace {

/// What a closing does on one line: it closes what is inside `stop`, null: all, and lets `error`
/// arrive there, null: nothing.
struct CloseTarget {
    Step* stop;
    const ErrorRef& error;
};

/// A closing that begins on `base`. On the lines inside of that it is a part of what is waited for.
struct CloseTask {
    Line& base;
    CloseTarget target;
    CloseMode mode;
    ErrorRef none{};

    CloseTarget on(const Line& line) const noexcept {
        return &line == &base ? target : CloseTarget{nullptr, none};
    }
    /// Of the flow as a whole.
    bool isCancel() const noexcept { return target.stop == nullptr && !base.isBranch(); }
};

// ---- notes

inline bool isHost(Step* step) noexcept {
    return step != nullptr && kindOf(*step).hasBranches;
}

/// A wider closing, whose error is `error`, takes the place of the one that waits.
inline void supersede(ErrorRef waiting, const ErrorRef& error) noexcept {
    if (waiting && error) addAlso(*error.get(), std::move(waiting));
}

void note(Line& line, Step& host, const CloseTask& task) noexcept {
    const CloseTarget target = task.on(line);
    HostPart& part = branchesOf(host);
    const bool noted = host.phase == Phase::cancel;
    Step* const before = noted ? part.note.stop() : &host;
    if (before != nullptr) disarmTimers(before, target.stop);
    if ((line.marks & kError) != 0) supersede(takeError(line), task.target.error);
    host.phase = Phase::cancel;
    if (&line == &task.base) {
        part.note.arriveAt(target.stop);
    } else {
        part.note.join(branchesOf(*task.base.top));
    }
    if (target.error) latchFail(line, target.error);
}

void put(Shelter& shelter, CloseTarget target) noexcept {
    shelter.noted = true;
    shelter.stop = target.stop;
    shelter.error = ErrorRef(target.error).detach();
}

void note(Line& line, Shelter& shelter, const CloseTask& task) noexcept {
    const CloseTarget target = task.on(line);
    if (!shelter.noted || shelter.stop != nullptr) {
        disarmTimers(shelter.noted ? shelter.stop : shelter.step->parent, target.stop);
    }
    supersede(ErrorRef(std::exchange(shelter.error, nullptr)), task.target.error);
    put(shelter, target);
}

/// Whether all of the line that is to be closed waits for something. Branches of one that waits
/// already need not be looked at, but by a cancel.
bool isPutOff(Line& line, const CloseTask& task) noexcept {
    if (task.mode != CloseMode::patient) return false;
    if (Shelter* shelter = shelterInside(line, task.on(line).stop)) {
        note(line, *shelter, task);
        return true;
    }
    if (task.isCancel() || line.top == nullptr || !hasNote(*line.top)) return false;
    note(line, *line.top, task);
    return true;
}

// ---- frames

/// The same as leave() of a frame that can't wait.
void leaveAtOnce(Line& line, Step& step, ErrorData* into) noexcept {
    const ErrorRef left = isDeferred(step) ? leftBy(line, step) : ErrorRef();
    leaveForGood(line, step, nullptr, into);
    if (left) report(*line.flow, left);
}

/// Nobody waits for what a frame has deferred. True: a function has begun, which is the line's top.
bool cleanUpAtOnce(Line& line, Step& step, ErrorData* into) noexcept {
    if ((step.flags & kDefers) != 0) {
        leaveAtOnce(line, step, into);
        beginCleanup(line, step, Shelter::State::closed);
    }
    return callDeferred(line, step);
}

/// Nobody waits for what a shielded frame has kept.
void keepFailure(Line& line, Step& step, ErrorData* into) noexcept {
    unshelter(line, step);
    Shelter& shelter = shelterOf(step);
    ErrorRef waiting(std::exchange(shelter.error, nullptr));
    if (waiting && into != nullptr) addAlso(*into, std::move(waiting));
    if (!shelter.hasFailure()) return;
    ErrorRef failure(std::exchange(shelter.failure, nullptr));
    if (into != nullptr) return addAlso(*into, std::move(failure));
    if (shelter.late) report(*line.flow, failure);
}

/// Closes the frames of the line that are to be closed, up to one that takes time, where the rest
/// is noted. `begun`: the closing is new: the timers of the frames that it has to leave open are
/// still armed. One that goes on from a note, null, has disarmed them before.
Answer closeFrames(Line& line, CloseTarget target, ErrorData* into, CloseMode mode,
                   const CloseTask* begun) noexcept {
    const bool begins = begun != nullptr;
    while (Step* step = line.top) {
        if (step == target.stop) return Answer::ended;
        const bool owes = (step->flags & (kDefers | kShelters)) != 0;
        if (mode == CloseMode::atOnce) {
            if (owes && cleanUpAtOnce(line, *step, into)) continue;
            leaveAtOnce(line, *step, into);
        } else {
            if (mayTakeTime(*step) && mode == CloseMode::patient) [[unlikely]] {
                if (Shelter* const shelter = stopsWithin(line, *step, into)) {
                    if (begins) disarmTimers(step->parent, target.stop);
                    put(*shelter, target);
                    return Answer::pending;
                }
            }
            leaveForGood(line, *step, nullptr, into);
        }
        if (owes && mode == CloseMode::patient) {
            Shelter& shelter = beginCleanup(line, *step, Shelter::State::closed);
            if (begins) disarmTimers(step->parent, target.stop);
            put(shelter, target);
            return Answer::again;
        }
        if (owes) keepFailure(line, *step, into);
        popAs(line, *step, [&] {
            if (!begins) return closingOf(line, target.stop, into);
            return Why{begun->isCancel() ? Why::cancelled : Why::silent, into};
        });
    }
    dropQueued(*line.flow, line.first);
    return Answer::ended;
}

// ---- lines

/// Closes what is open on the line, none of whose branches is. A cleanup that begins sends it to
/// the tail.
bool closeLine(Line& line, const CloseTask& task) noexcept {
    ErrorData* const into = task.target.error.get();
    const Answer came = closeFrames(line, task.on(line), into, task.mode, &task);
    if (came == Answer::again) line.core().enqueue(line);
    return came == Answer::ended;
}

/// Null: none is open.
Branch* firstBranch(Line& line) noexcept {
    if (!isHost(line.top)) return nullptr;
    Step& host = *line.top;
    kindOf(host).stop(host);
    return branchesOf(host).eldest;
}

/// The closing has been in each branch of the line's top. Whether the line is closed, too.
bool leaveBranches(Line& line, const CloseTask& task) noexcept {
    Step& host = *line.top;
    kindOf(host).stop(host);
    if (branchesOf(host).open == 0) return closeLine(line, task);
    note(line, host, task);
    return false;
}

}  // namespace

bool closeInside(Line& base, Step* stop, const ErrorRef& error, CloseMode mode) noexcept {
    const CloseTask task{base, {stop, error}, mode};
    Line* line = &base;
    for (;;) {
        bool closed = false;
        if (!isPutOff(*line, task)) {
            line->core().remove(*line);
            if (Branch* first = firstBranch(*line)) {
                line = first;
                continue;
            }
            closed = closeLine(*line, task);
        }
        Branch* next = nullptr;
        while (next == nullptr) {
            if (line == &base) {
                ClosingScope::noteOutlived(base);
                return closed;
            }
            Branch& branch = static_cast<Branch&>(*line);
            line = branch.host->line;
            next = branch.younger;
            if (closed) closeBranch(branch);
            if (next == nullptr) closed = leaveBranches(*line, task);
        }
        line = next;
    }
}

bool hasNote(Step& step) noexcept {
    return isHost(&step) && step.phase == Phase::cancel && branchesOf(step).open != 0;
}

Answer closeFrames(Line& line, Step* stop, const ErrorRef& error) noexcept {
    return closeFrames(line, {stop, error}, error.get(), CloseMode::patient, nullptr);
}

void dropLatch(Line& line, Step& step, ErrorData* into) noexcept {
    ErrorRef latched = (line.marks & kError) != 0 ? takeError(line) : ErrorRef();
    line.marks = 0;
    if (step.extras != nullptr) {
        if (ErrorRef rejection = takeRejection(step)) latched = std::move(rejection);
    }
    if (latched && into != nullptr) addAlso(*into, std::move(latched));
    if (line.slot == nullptr) return;
    RemoteSettlement* remote = line.core().slots.release(std::exchange(line.slot, nullptr));
    ErrorRef claimed = errorOf(remote, step);
    if (claimed && into != nullptr) addAlso(*into, std::move(claimed));
}

ErrorData* noted(Line& line, const Shelter& shelter) noexcept {
    return closingOf(line, shelter.stop, shelter.error).error;
}

void joinNote(Line& line, Shelter& shelter, ErrorRef failure) noexcept {
    ErrorData* const into = noted(line, shelter);
    if (into != nullptr) {
        addAlso(*into, std::move(failure));
    } else if (shelter.late) {
        report(*line.flow, failure);
    }
}

Unwinding takeNote(Line& line, Shelter& shelter, ErrorRef failure) noexcept {
    if (failure) joinNote(line, shelter, std::move(failure));
    shelter.noted = false;
    return {Unwinding::silent, shelter.stop, ErrorRef(std::exchange(shelter.error, nullptr))};
}

}  // namespace steptree::detail
