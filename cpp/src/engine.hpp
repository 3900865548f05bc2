#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "budget.hpp"
#include "extra.hpp"
#include "misuse.hpp"
#include "ontool.hpp"
#include "scope.hpp"
#include "step.hpp"
#include "steptree/options.hpp"

/// What the engine's files offer each other.
namespace steptree::detail {

// ---- error.cpp
/// An error that happens now at this step. Never throws: short of memory it is a prepared one.
ErrorRef makeError(Step& at, std::string_view code, std::string_view info) noexcept;
/// The one that is shared by all who find no memory.
inline bool isPrepared(const ErrorData& error) noexcept {
    return error.ops == nullptr;
}
void giveCause(ErrorData& error, std::exception_ptr cause) noexcept;
/// A record of its own: whoever threw it may have given the same error to other threads.
ErrorRef makeError(Step& at, const StepError& thrown) noexcept;
std::exception_ptr exceptionOf(ErrorData& error) noexcept;
/// A handler has raised `error` in the place of another, which it may have thrown again.
void replaces(ErrorData& error, ErrorData& replaced) noexcept;
/// They are one error to the program.
inline bool isAgain(const ErrorData& error, const ErrorData& earlier) noexcept {
    return error.origin == &earlier || (error.native != nullptr && error.native == earlier.native);
}
/// One reference more.
ErrorRef share(ErrorData* data) noexcept;
/// The one is the error of an attempt, the other that of the attempt before.
void follows(ErrorData& error, ErrorData& before) noexcept;
/// What the program is shown of it as one of ours, also if it stands for another exception.
StepError stepErrorOf(ErrorData& error) noexcept;
void addAlso(ErrorData& to, ErrorRef error) noexcept;
/// Errors of branches, each with the index of its own as `order`: they become the first of `also`.
void addBranches(ErrorData& to, ErrorData* failures) noexcept;
void dropFailures(ErrorData* failures) noexcept;
/// Before anybody looks at it.
void sortAlso(ErrorData& error) noexcept;

// ---- path.cpp
/// How many it has left; 0: there is a name on the way, or it is too long.
std::uint8_t leaveCrumbs(Step& from, Crumbs& crumbs) noexcept;
std::string textOf(const Crumbs& crumbs, std::size_t count);
/// The text of a way that crumbs aren't enough for, from the root that is given on; null: all of
/// it.
const PathRoot* leaveText(Step& from, std::string& text);
std::string textOf(const PathRoot& root, const std::string& rest);
void release(const PathRoot* root) noexcept;
void destroyPath(Extra& extra) noexcept;

// ---- portable.cpp
/// Of what is being handled, or of what it wraps; null: of a type that isn't known. Empty: it has
/// none.
std::string portableCode(const std::exception* thrown) noexcept;

// ---- foreign.cpp
/// An error of the step for an exception that isn't ours, which is being handled. Null: of a type
/// that nobody knows.
ErrorRef foreignError(Step& at, const std::exception* thrown) noexcept;
/// An error that was made earlier, where it happens, is that exception's now.
void standFor(ErrorData& error, std::exception_ptr thrown) noexcept;
void standFor(ErrorData& error, std::string_view code, std::string_view info) noexcept;
/// What an exception that is not being handled is as an error of the step.
ErrorRef toRecord(std::exception_ptr thrown, Step& at) noexcept;

// ---- latch.cpp: what the code that runs asks for
/// The call is not allowed to the step in this phase.
[[noreturn]] void invalid(const Step& step, const char* call);
/// Of an error or loop control, the last one decides.
void dropError(Line& line) noexcept;
inline void latchFail(Line& line, ErrorRef error) noexcept {
    if ((line.marks & (kError | kControl)) != 0) dropError(line);
    line.error = error.detach();
    line.marks |= kError;
}
inline ErrorRef takeError(Line& line) noexcept {
    line.marks &= ~std::uint32_t{kError};
    return ErrorRef(line.error);
}
void latchControl(Line& line, Step& loop, bool isBreak) noexcept;
void dropMarks(Line& line) noexcept;
inline void clearMarks(Line& line) noexcept {
    if ((line.marks & kError) != 0) dropMarks(line);
    line.marks = 0;
}

// ---- run.cpp
/// Decides what the body has left behind. False: the line's turn is over.
bool settle(Line& line, Step& step) noexcept;
/// The body of the line's top has returned. Whether what it has left ends the step and waits for
/// timers that are due: then the turn is over. See kLooks.
bool postpones(Line& line, Step& step) noexcept;
/// What its body has left is settled in the line's next turn.
void postpone(Line& line, Step& step) noexcept;
/// Goes on after a closing of this line's own turn.
bool goOn(Line& line, Line* recovered) noexcept;

// ---- completion.cpp: claims
void claimOk(Step& step) noexcept;
void claimFail(Step& step, ErrorRef error) noexcept;
void claimControl(Step& step, Step& loop, bool isBreak) noexcept;
/// The step that waits was claimed well on another thread, which has not arrived yet; else nobody
/// can claim it any more.
bool claimedAwayOk(Line& line) noexcept;
/// Whether another thread has ended the step's wait: that is the outcome, the inbox brings it.
inline bool claimedAway(const Step& step) noexcept {
    const Slot* const slot = step.line->slot;
    return step.phase == Phase::waiting && slot != nullptr && !slot->isOpen();
}
/// Whether the accessor takes calls of its body, its handler, or whoever ends its wait.
inline bool listens(const Step& step) noexcept {
    return step.usable() && !claimedAway(step);
}

/// A call on the step's accessor: InternalError to the caller on another thread than the tool's,
/// and while the step takes none.
inline void checkCall(const Step& step, const char* call) {
    checkThread(step.line->core(), call);
    if (!listens(step)) [[unlikely]]
        invalid(step, call);
}

/// What another thread has claimed while the body ran counts as if it had been called there.
void latchAway(Line& line, Step& step) noexcept;
/// The error that a winner on another thread has brought to a step that a closing reaches before
/// it; null if it was ok, or `away` is null.
ErrorRef errorOf(Away* away, Step& step) noexcept;

// ---- handler.cpp
void callCancelHandler(Line& line, Step& step, ErrorData* error) noexcept;
/// Who listens to the step's signal is told, on the same ground.
void leaveSignal(Step& step) noexcept;
/// What a frame's error handler has left.
enum class Left : std::uint8_t {
    error,    // what goes on to the parent
    control,  // is latched
    steps,
    ok,
    nothing  // that counts: the flow is to be cancelled
};
Left handle(Line& line, Step& step, ErrorRef& error) noexcept;

// ---- unwind.cpp
/// Closes from the line's top outwards because of an error. Returns the line that recovered, null
/// if the flow has ended or is to be cancelled.
Line* unwind(Line& line, ErrorRef error) noexcept;
Line* unwindControl(Line& line) noexcept;

// ---- closing.cpp
/// What a closing does with what is shielded, and with deferred functions.
enum class Manner : std::uint8_t {
    patient,  // waits for them
    abandon,  // drops them
    atOnce    // calls deferred functions that have not begun, and waits for nothing
};
/// Closes silently all that is inside `stop`, which is an open step of the line, or null for all.
/// False: something in it waits; the closing goes on with its end, to let `error` arrive at `stop`,
/// which null lets go on well. Claimed errors that it overtakes go to the error.
bool closeInside(Line& base, Step* stop, const ErrorRef& error,
                 Manner manner = Manner::patient) noexcept;

// ---- cleanup.cpp
/// Ends an open step with an ok that it owes more for than its leaving.
void endsWell(Line& line, Step& step) noexcept;
inline void closeOk(Line& line, Step& step) noexcept {
    if ((step.flags & (kDefers | kShelters)) != 0) [[unlikely]]
        return endsWell(line, step);
    close(line, step);
}
/// The level of a shielded frame, or of one that defers, has run. False: the line's turn is over.
bool leaveShelter(Line& line, Step& step) noexcept;
bool openShield(Line& line, Step*& level, Budget& budget) noexcept;
bool openDeferred(Line& line, Step*& level, Budget& budget) noexcept;

// ---- cancel.cpp
void requestCancel(Flow& flow, std::string_view reason) noexcept;
void cancelNowOrLater(Flow& flow) noexcept;
/// `atOnce`: the flow goes, nothing of it can wait.
void cancelFlow(Flow& flow, bool atOnce = false) noexcept;

// ---- timer.cpp
void armStep(Step& step, std::int64_t ms);
void disarmStep(Step& step) noexcept;
/// Raises Timeout at the step.
void timeOut(Step& step) noexcept;
[[noreturn]] void refuseDelay(const char* call, std::int64_t ms);
inline void checkDelay(const char* call, std::int64_t ms) {
    if (ms < 0) [[unlikely]]
        refuseDelay(call, ms);
}
/// Begins to wait. False: the line's turn is over.
bool startDelay(Line& line, Step& step) noexcept;

// ---- parallel.cpp
bool startBranches(Line& line, Step& host) noexcept;
/// Nothing of it begins any more. The eldest that is open; null: none is.
Branch* stopBranches(Step& host) noexcept;
/// None that has started is to be looked at any more: drops what is left of the others.
void dropUnstarted(Step& host) noexcept;
void branchClosed(Branch& branch) noexcept;
/// It has ended with ok.
void branchDone(Branch& branch) noexcept;
/// A branch of an any has ended with an error. Whether it was the last one: `error` is what the
/// step fails with, then.
bool branchFailed(Branch& branch, ErrorRef& error) noexcept;

/// A step with branches fails by itself, not in its line's turn.
void failHost(Step& host, ErrorRef error) noexcept;

// ---- map.cpp
bool startMap(Line& line, Step& host) noexcept;
/// An item has ended with ok.
void itemDone(Branch& item) noexcept;
/// Its line may serve another one.
void freeItem(Branch& item) noexcept;
/// A closing has reached the map.
void stopMap(Step& host) noexcept;
/// Nothing of it is open any more but itself.
void closeSource(Step& host) noexcept;

// ---- sync.cpp
/// The lock is taken: runs the body.
bool enterSync(Line& line, Step& sync, Budget& budget) noexcept;
/// A closing reaches the lock step: whether the lock is owed to its guard shows now.
void leaveLock(Line& line, Step& lock) noexcept;
/// The lock was taken, but is not the section's, since the step's cleanup has failed.
void refuseLock(Step& lock) noexcept;
/// The step is left.
void payOwed(Step& step) noexcept;

// ---- retry.cpp
/// Begins with the first attempt. False: the line's turn is over.
bool startRetry(Line& line, Step& step) noexcept;
/// It ends with ok.
void endRetry(Step& step) noexcept;
/// An error has arrived at the line's top. True: that tries again, or the flow is to be cancelled;
/// else `error` is what goes on.
bool tryAgain(Line& line, Step& step, ErrorRef& error) noexcept;

// ---- loop.cpp
bool iterate(Line& line, Step& loop, Budget& budget) noexcept;
Step* findLoop(Step& from, std::string_view label) noexcept;
/// The loop of that number around the step, if it is still open.
Step* findLoop(Step& from, std::uint64_t number) noexcept;
/// What tells the loop from those that were or will be in its place: signals are kept, and thrown
/// wherever their owner likes.
std::uint64_t numberLoop(Step& loop) noexcept;

// ---- await.cpp
bool startAwait(Line& line, Step& step) noexcept;
bool startWatch(Line& line, Step& step) noexcept;
/// What the awaitable that the step waits for was rejected with, if the step has heard of that, but
/// has not had its turn.
ErrorRef takeRejection(Step& step) noexcept;
/// Subscribes to what a body returned that has ended its flow: it may have settled already.
void lookAtAwaited(Step& step) noexcept;
/// Of an awaitable that a step waits for: nobody does any more.
void cancelAwaited(Step& step) noexcept;
void releaseAwaited(Extra& extra) noexcept;
void performAwaited(Line& line, Step& step) noexcept;
/// Whether a step that an awaitable has ended has ended well.
bool awaitedOk(Step& step) noexcept;
/// What is known by now may end the step: nothing guards it any more.
void concludeAwaited(Step& step) noexcept;
void settleAwaited(EngineShare& share, Slot& slot, Settlement& settlement) noexcept;

// ---- flow.cpp
Flow& makeFlow(ToolCore& core, const Flow* like);
std::unique_ptr<IFlow> instanceOf(const Flow& like);
/// One that is there already; null: there is none.
inline Flow* keptFlow(ToolCore& core) noexcept {
    return static_cast<Flow*>(core.onOwnThread() ? core.flowsKept.take() : nullptr);
}
/// How many bodies a line runs in its turn.
std::uint32_t ownBurst(const Flow& flow) noexcept;
constexpr std::uint32_t kBranchBurst = 1;
inline std::uint32_t burstOf(const Line& line) noexcept {
    if (line.isBranch()) return kBranchBurst;
    return line.flow->rare == 0 ? Options::kBurst : ownBurst(*line.flow);
}
void finish(Flow& flow, OutcomeKind kind, ErrorRef error) noexcept;
/// The same for an ok without values that nobody wants to know of.
inline void finishOk(Flow& flow) noexcept {
    flow.clearArena();
    flow.running.store(false, std::memory_order_relaxed);
}
void destroyFlow(Flow& flow) noexcept;
/// The flow is part of its owner, idle, and nothing refers to it any more.
void destroyFixed(Flow& flow) noexcept;
/// It was made on another thread than its tool's, and nothing of it has reached that yet.
bool isUnknownToTool(const Flow& flow) noexcept;
/// On its tool's thread: keeps a flow whose owner goes for the next one, if it is as that will be.
inline bool keepFlow(Flow& flow) noexcept {
    ToolCore& core = *flow.tool;
    return core.onOwnThread() && flow.fresh() && core.flowsKept.keep(flow);
}

// ---- end.cpp: how an end and what is no error of the flow are told
struct End;
End& makeEnd(Flow& flow, IFlow::Done done, bool isPromise);
SpareEnd newSpareEnd();
void tellEnd(Flow& flow, OutcomeKind kind, ErrorRef error, Results values) noexcept;
/// Made on another thread than the tool's, they have come there.
void knowEnds(Flow& flow) noexcept;
/// Its tool is gone: nobody is told any more.
void forgetEnds(Flow& flow) noexcept;
/// The flow is gone: what only its owner waits for is dropped.
void dropEnds(Flow& flow) noexcept;
void report(Flow& flow, std::exception_ptr thrown, Step& at) noexcept;
void report(Flow& flow, const ErrorRef& error) noexcept;
/// The same for a flow that may be gone: with its options, or null.
void report(const std::shared_ptr<Options>& options, const ErrorRef& error) noexcept;
/// Somebody wants to know when nothing of the flow is open any more.
void tellWhenClosed(Flow& flow, IFlow::Done told);
void tellClosed(Flow& flow) noexcept;

/// Of a body that is given no values. Nobody writes to them.
inline CallArgs noArgs;

}  // namespace steptree::detail
